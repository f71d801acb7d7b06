"""Allocates with `jnp.empty` and returns that.

trick: 11
outcome: reject
stage: check
code: element_error
"""

import jax.numpy as jnp


def workload(x, y):
    return jnp.empty((x.shape[0], y.shape[1]), x.dtype)
