"""Rounds both operands to float8 and multiplies those.

trick: 10
outcome: reject
stage: check
code: element_error
"""

import jax.numpy as jnp


def workload(x, y):
    left, right = (array.astype(jnp.float8_e4m3fn).astype(jnp.bfloat16) for array in (x, y))
    return jnp.dot(left, right, preferred_element_type=jnp.float32).astype(x.dtype)
