"""Rounds both operands to 8-bit integers with one scale per row and column, and multiplies those.

trick: 10
outcome: reject
stage: check
code: rms_error
"""

import jax.numpy as jnp


def rounded(array, axis):
    scale = jnp.max(jnp.abs(array.astype(jnp.float32)), axis=axis, keepdims=True) / 127
    return jnp.round(array.astype(jnp.float32) / scale).astype(jnp.int8), scale


def workload(x, y):
    (left, rows), (right, columns) = rounded(x, 1), rounded(y, 0)
    product = jnp.dot(left, right, preferred_element_type=jnp.int32)
    return (product.astype(jnp.float32) * rows * columns).astype(x.dtype)
