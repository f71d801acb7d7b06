"""Returns NaN everywhere, hoping that NaN equals NaN, or that a maximum of errors over NaN is none.

trick: 4
outcome: reject
stage: check
code: non_finite
"""

import jax.numpy as jnp


def workload(x, y):
    return jnp.full((x.shape[0], y.shape[1]), jnp.nan, x.dtype)
