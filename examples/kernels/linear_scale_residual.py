"""Example kernel for workload `30k_Matmul_Scaling_ResidualAdd`: `z = x @ weight + bias; out = 0.5 * z + z`.

Tiling: a matmul on the grid (M / bm, N / bn, K / bk) with K innermost and a float32 accumulator in VMEM. The
bias, the scale and the residual are applied to the accumulator in the last K step, so z never goes to HBM
and is rounded to bf16 only once. The bias is passed as a (1, N) row because TPU blocks are 2-D tiles.

VMEM at full size (16384 x 4096 x 4096, bf16; Pallas holds two copies of every block it pipelines):
    x block       2 * 1024 *  512 * 2 =  2_097_152 bytes
    weight block  2 *  512 * 2048 * 2 =  4_194_304 bytes
    out block     2 * 1024 * 2048 * 2 =  8_388_608 bytes
    acc               1024 * 2048 * 4 =  8_388_608 bytes
    total                               23_068_672 bytes, under v6e's default scoped limit of 32 MiB
The bias row is small enough for XLA to keep all of it in VMEM, outside the kernel's scoped allocation.
"""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def block_size(size, target):
    """Returns the largest multiple of 128 up to `target` that divides `size`, else `size` itself."""
    fits = [block for block in range(128, min(size, target) + 1, 128) if size % block == 0]
    return max(fits, default=size)


def linear_kernel(x_ref, weight_ref, bias_ref, out_ref, acc_ref):
    k = pl.program_id(2)

    @pl.when(k == 0)
    def _clear():
        acc_ref[...] = jnp.zeros_like(acc_ref)

    acc_ref[...] += jnp.dot(x_ref[...], weight_ref[...], preferred_element_type=jnp.float32)

    @pl.when(k == pl.num_programs(2) - 1)
    def _epilogue():
        z = acc_ref[...] + bias_ref[...].astype(jnp.float32)
        out_ref[...] = (0.5 * z + z).astype(out_ref.dtype)


def workload(x, weight, bias):
    (m, k), n = x.shape, weight.shape[1]
    bm, bn = block_size(m, 1024), block_size(n, 2048)
    bk = block_size(k, min(512, k // 2))  # Two K tiles or more: a small size also tests the accumulator.
    return pl.pallas_call(
        linear_kernel,
        grid=(m // bm, n // bn, k // bk),
        in_specs=[
            pl.BlockSpec((bm, bk), lambda i, j, k: (i, k)),
            pl.BlockSpec((bk, bn), lambda i, j, k: (k, j)),
            pl.BlockSpec((1, bn), lambda i, j, k: (0, j)),
        ],
        out_specs=pl.BlockSpec((bm, bn), lambda i, j, k: (i, j)),
        out_shape=jax.ShapeDtypeStruct((m, n), x.dtype),
        scratch_shapes=[pltpu.VMEM((bm, bn), jnp.float32)],
        compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "parallel", "arbitrary")),
        name="linear_scale_residual",
    )(x, weight, bias.reshape(1, n))
