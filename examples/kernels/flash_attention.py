"""Example kernel for workload `1p_Flash_Attention`: causal softmax attention on (B, H, S, D) arrays.

Tiling: the grid is (B, H, S / block, S / block), key blocks innermost. The online softmax keeps, for every
query row, the running maximum, the running sum and the unnormalized output, so the S x S score matrix only
exists one block at a time. Query and key blocks have the same size, which makes causality simple: a key
block before the query block is used whole, the block on the diagonal is masked, and a later one is skipped.
The index map asks for the diagonal block again in a skipped step, and Pallas does not copy it a second time.

VMEM at full size (head_dim 128, block 1024, bf16; Pallas holds two copies of every block it pipelines):
    query, key, value, out  4 * 2 * 1024 * 128 * 2 =  2_097_152 bytes
    max, sum, acc               3 * 1024 * 128 * 4 =  1_572_864 bytes (one column takes 128 lanes)
    scores, float32                1024 * 1024 * 4 =  4_194_304 bytes, a temporary of the compiler
    total                                             7_864_320 bytes, plus about 1 MB of smaller temporaries;
                                                      far under v6e's default scoped limit of 32 MiB
"""

import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def block_size(size, target):
    """Returns the largest multiple of 128 up to `target` that divides `size`, else `size` itself."""
    fits = [block for block in range(128, min(size, target) + 1, 128) if size % block == 0]
    return max(fits, default=size)


# Pallas passes refs by position: inputs, outputs, scratch.
def attention_kernel(q_ref, k_ref, v_ref, out_ref, max_ref, sum_ref, acc_ref, *, scale):  # noqa: PLR0917
    qi, ki = pl.program_id(2), pl.program_id(3)

    @pl.when(ki == 0)
    def _clear():
        max_ref[...] = jnp.full_like(max_ref, -jnp.inf)
        sum_ref[...] = jnp.zeros_like(sum_ref)
        acc_ref[...] = jnp.zeros_like(acc_ref)

    def accumulate(*, masked):
        contract_last = (((1,), (1,)), ((), ()))
        s = jax.lax.dot_general(q_ref[...], k_ref[...], contract_last, preferred_element_type=jnp.float32)
        s *= scale
        if masked:
            row, column = (jax.lax.broadcasted_iota(jnp.int32, s.shape, axis) for axis in (0, 1))
            s = jnp.where(column <= row, s, -jnp.inf)
        new_max = jnp.maximum(max_ref[...], jnp.max(s, axis=1, keepdims=True))
        shrink = jnp.exp(max_ref[...] - new_max)  # Rescales what was summed under the old maximum.
        p = jnp.exp(s - new_max)
        sum_ref[...] = shrink * sum_ref[...] + jnp.sum(p, axis=1, keepdims=True)
        pv = jnp.dot(p.astype(v_ref.dtype), v_ref[...], preferred_element_type=jnp.float32)
        acc_ref[...] = shrink * acc_ref[...] + pv
        max_ref[...] = new_max

    @pl.when(ki < qi)
    def _below_diagonal():
        accumulate(masked=False)

    @pl.when(ki == qi)
    def _diagonal():  # The last block of these rows: finish the softmax too.
        accumulate(masked=True)
        out_ref[...] = (acc_ref[...] / sum_ref[...]).astype(out_ref.dtype)


def workload(query, key, value):
    batch, heads, length, dim = query.shape
    block = block_size(length, min(1024, length // 2))  # Two blocks or more: a small size tests rescaling.
    q_spec = pl.BlockSpec((None, None, block, dim), lambda b, h, qi, ki: (b, h, qi, 0))
    kv_spec = pl.BlockSpec((None, None, block, dim), lambda b, h, qi, ki: (b, h, jnp.minimum(qi, ki), 0))
    return pl.pallas_call(
        functools.partial(attention_kernel, scale=dim**-0.5),
        grid=(batch, heads, length // block, length // block),
        in_specs=[q_spec, kv_spec, kv_spec],
        out_specs=q_spec,
        out_shape=jax.ShapeDtypeStruct(query.shape, query.dtype),
        scratch_shapes=[pltpu.VMEM((block, columns), jnp.float32) for columns in (1, 1, dim)],
        compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "parallel", "parallel", "arbitrary")),
        name="flash_attention",
    )(query, key, value)
