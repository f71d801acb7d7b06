"""8p_GEMM by Tokamax's grouped matmul with one group: a library kernel that asks which TPU it is on."""

import jax.numpy as jnp
import tokamax


def workload(A, B):
    sizes = jnp.array([A.shape[0]], jnp.int32)
    return tokamax.ragged_dot(A, B[None], sizes, implementation="mosaic")
