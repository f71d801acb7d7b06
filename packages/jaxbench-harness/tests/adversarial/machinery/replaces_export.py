"""Replaces `jax.export`, so that the tracer sends bytes of the candidate's choice.

outcome: reject
stage: guard
code: protocol
says: the Program cannot be read
"""

from types import SimpleNamespace

import jax.export
import jax.numpy as jnp


def exported(*_, **__):
    return lambda *_: SimpleNamespace(serialize=lambda: b"a program of my own")


jax.export.export = exported


def workload(x, y):
    return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)
