"""Replaces builtins that whoever traces and answers needs.

outcome: reject
stage: trace
code: exited
says: exited with status 1 before it answered
"""

import builtins

import jax.numpy as jnp


def workload(x, y):
    builtins.isinstance = builtins.len = builtins.sorted = builtins.tuple = lambda *_, **__: None
    return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)
