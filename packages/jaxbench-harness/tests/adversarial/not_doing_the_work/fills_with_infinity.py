"""Returns infinity everywhere, so that errors relative to the output vanish.

trick: 4
outcome: reject
stage: check
code: non_finite
"""

import jax.numpy as jnp


def workload(x, y):
    return jnp.full((x.shape[0], y.shape[1]), jnp.inf, x.dtype)
