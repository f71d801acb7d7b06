"""Calls the grouped product that ships with JAX, with one group.

trick: 20
workload: 8p_GEMM
outcome: flag
flags: library_kernel
"""

import jax.numpy as jnp
from jax.experimental.pallas.ops.tpu.megablox import gmm


def workload(A, B):
    tiling = (min(A.shape[0], 512), 512, 512)
    return gmm(A, B[None], jnp.array([A.shape[0]], jnp.int32), preferred_element_type=A.dtype, tiling=tiling)
