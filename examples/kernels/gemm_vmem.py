"""Example of a kernel for workload `8p_GEMM` that does NOT FIT: the TPU compiler runs out of scoped VMEM.

It is right at check size, where every block is small, so only the compilation at full size rejects it.

Tiling: each step takes whole-K strips of A and B, so it needs neither a K loop nor an accumulator. That is
simple, and far too large at full size.

VMEM at full size (8192 x 8192 x 28672, bf16; Pallas holds two copies of every block it pipelines):
    A strip    2 *  512 * 8192 * 2 = 16_777_216 bytes
    B strip    2 * 8192 * 1024 * 2 = 33_554_432 bytes
    out block  2 *  512 * 1024 * 2 =  2_097_152 bytes
    total                            52_428_800 bytes, over the default scoped limit of 32 MiB (33_554_432)
"""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def gemm_kernel(a_ref, b_ref, out_ref):
    product = jnp.dot(a_ref[...], b_ref[...], preferred_element_type=jnp.float32)
    out_ref[...] = product.astype(out_ref.dtype)


def workload(A, B):
    (m, k), n = A.shape, B.shape[1]
    bm, bn = min(512, m), min(1024, n)
    return pl.pallas_call(
        gemm_kernel,
        grid=(m // bm, n // bn),
        in_specs=[
            pl.BlockSpec((bm, k), lambda i, j: (i, 0)),
            pl.BlockSpec((k, bn), lambda i, j: (0, j)),
        ],
        out_specs=pl.BlockSpec((bm, bn), lambda i, j: (i, j)),
        out_shape=jax.ShapeDtypeStruct((m, n), A.dtype),
        compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "parallel")),
        name="gemm_vmem",
    )(A, B)
