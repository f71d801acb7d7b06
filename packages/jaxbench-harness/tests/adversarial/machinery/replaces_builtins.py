"""Replaces builtins that the tracer uses between loading and answering; it fails as what ended without an answer.

outcome: reject
stage: trace
code: raised
"""

import builtins

import jax.numpy as jnp


def workload(x, y):
    builtins.isinstance = builtins.len = builtins.sorted = builtins.tuple = lambda *_, **__: None
    return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)
