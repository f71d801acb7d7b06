"""Example kernel for workload `8p_GEMM`: `out = A @ B`.

Tiling: the grid is (M / bm, N / bn, K / bk) with K innermost. One output tile stays in VMEM while its K
tiles stream past, so A is read from HBM N / bn times and B is read M / bm times. A 1024 x 2048 output tile
does 2 * 1024 * 2048 / ((1024 + 2048) * 2) = 683 flops per byte read; a v6e needs about 560 to be limited by
its matrix units (918 Tflop/s) and not by its HBM (1.64 TB/s).

VMEM at full size (8192 x 8192 x 28672, bf16; Pallas holds two copies of every block it pipelines):
    A block    2 * 1024 *  512 * 2 =  2_097_152 bytes
    B block    2 *  512 * 2048 * 2 =  4_194_304 bytes
    out block  2 * 1024 * 2048 * 2 =  8_388_608 bytes
    acc            1024 * 2048 * 4 =  8_388_608 bytes
    total                            23_068_672 bytes, under v6e's default scoped limit of 32 MiB
"""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def block_size(size, target):
    """Returns the largest multiple of 128 up to `target` that divides `size`, else `size` itself."""
    fits = [block for block in range(128, min(size, target) + 1, 128) if size % block == 0]
    return max(fits, default=size)


def gemm_kernel(a_ref, b_ref, out_ref, acc_ref):
    k = pl.program_id(2)

    @pl.when(k == 0)
    def _clear():
        acc_ref[...] = jnp.zeros_like(acc_ref)

    acc_ref[...] += jnp.dot(a_ref[...], b_ref[...], preferred_element_type=jnp.float32)

    @pl.when(k == pl.num_programs(2) - 1)
    def _store():
        out_ref[...] = acc_ref[...].astype(out_ref.dtype)


def workload(A, B):
    (m, k), n = A.shape, B.shape[1]
    bm, bn = block_size(m, 1024), block_size(n, 2048)
    bk = block_size(k, min(512, k // 2))  # Two K tiles or more: a small size also tests the accumulator.
    return pl.pallas_call(
        gemm_kernel,
        grid=(m // bm, n // bn, k // bk),
        in_specs=[
            pl.BlockSpec((bm, bk), lambda i, j, k: (i, k)),
            pl.BlockSpec((bk, bn), lambda i, j, k: (k, j)),
        ],
        out_specs=pl.BlockSpec((bm, bn), lambda i, j, k: (i, j)),
        out_shape=jax.ShapeDtypeStruct((m, n), A.dtype),
        scratch_shapes=[pltpu.VMEM((bm, bn), jnp.float32)],
        compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "parallel", "arbitrary")),
        name="gemm",
    )(A, B)
