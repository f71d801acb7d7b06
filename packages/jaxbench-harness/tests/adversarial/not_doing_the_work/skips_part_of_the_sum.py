"""Leaves out the last eighth of the sum over K.

trick: 5
workload: 8p_GEMM
outcome: reject
stage: check
code: element_error
"""

import jax.numpy as jnp


def workload(A, B):
    inner = A.shape[1] * 7 // 8
    return jnp.dot(A[:, :inner], B[:inner], preferred_element_type=jnp.float32).astype(A.dtype)
