"""Example of a WRONG kernel for workload `8p_GEMM`: it traces and compiles, and its values are off.

The bug: the last K step stores the accumulator but does not add its own tile, so every output misses 1 / nk
of its products. The output has the right shape, type and magnitude; only a numeric comparison rejects it.

Tiling: as in `gemm.py` with smaller tiles, and K in four tiles or more, so the bug also shows at check size.

VMEM at full size (8192 x 8192 x 28672, bf16; Pallas holds two copies of every block it pipelines):
    A, B blocks  2 * 2 * 512 * 512 * 2 = 2_097_152 bytes
    out block        2 * 512 * 512 * 2 = 1_048_576 bytes
    acc                  512 * 512 * 4 = 1_048_576 bytes
    total                                4_194_304 bytes, under the default scoped limit of 32 MiB
"""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def gemm_kernel(a_ref, b_ref, out_ref, acc_ref):
    k, last = pl.program_id(2), pl.num_programs(2) - 1

    @pl.when(k == 0)
    def _clear():
        acc_ref[...] = jnp.zeros_like(acc_ref)

    @pl.when(k < last)  # The bug: the addition has to happen in every step, the last one included.
    def _add():
        acc_ref[...] += jnp.dot(a_ref[...], b_ref[...], preferred_element_type=jnp.float32)

    @pl.when(k == last)
    def _store():
        out_ref[...] = acc_ref[...].astype(out_ref.dtype)


def workload(A, B):
    (m, k), n = A.shape, B.shape[1]
    bm, bn, bk = min(512, m), min(512, n), min(512, k // 4)
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
        name="gemm_wrong",
    )(A, B)
