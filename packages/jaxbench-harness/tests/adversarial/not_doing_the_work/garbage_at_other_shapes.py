"""Is right at the benchmarked shape and returns zeros at any other, where it expects not to be looked at.

trick: 8
outcome: reject
stage: check
code: element_error
"""

import jax.numpy as jnp


def workload(x, y):
    if x.shape[0] != 256:
        return jnp.zeros((x.shape[0], y.shape[1]), x.dtype)
    return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)
