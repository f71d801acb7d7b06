"""Tries a kernel that cannot be lowered and falls back to what XLA does, silently.

trick: 20
outcome: flag
flags: no_pallas
"""

import contextlib

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, y_ref, o_ref):
    raise NotImplementedError("a fine kernel will be here")


def workload(x, y):
    shape = jax.ShapeDtypeStruct((x.shape[0], y.shape[1]), x.dtype)
    with contextlib.suppress(Exception):
        return pl.pallas_call(kernel, out_shape=shape)(x, y)
    return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)
