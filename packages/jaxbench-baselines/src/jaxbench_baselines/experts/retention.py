"""Retention of RetNet, whose rows are divided by the sum of the magnitudes of their scores.

That sum is not linear in the keys, so no recurrence gives it and every score of a visible key is computed once, as in
flash attention, but without its exponentials. A score decays with the distance of its key: gamma^(i - j) is the
product of one factor per row and one per column of a block, each at most 1 but on the diagonal, so that a block takes
two multiplications per score and exponentials of vectors only.

**Tiling.** A step takes a block of queries of one head and loops over the blocks of its visible keys; keys and values
of the head stay in VMEM for all its queries. **VMEM** at 4096 positions of 256 and blocks of 1024, in MiB: keys and
values 2 * 2 * 2, queries and output 2 * 2 * 0.5, sums 1.5, scores in float32 4 and the rounded ones 2. **Bottleneck**:
the vector units, which decay, round and add up the magnitudes of the scores; the matrix unit is busy about as long.
"""

from typing import Any, cast

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jaxtyping import Array, Float

from jaxbench_baselines.experts.tiling import LANES, batched_rows, batched_whole, block_size
from jaxbench_baselines.settings import read_settings

Heads = Float[Array, "batch num_heads seq_len head_dim"]


def retention(query: Heads, key: Heads, value: Heads) -> Heads:
    """15p: retention by blocks."""
    batch, num_heads, seq_len, head_dim = query.shape
    block = block_size(seq_len, read_settings("block")["block"])
    # gamma = 1 - 2**(-5 - head), as the workload says.
    log_decay = jnp.log1p(-jnp.exp2(-5 - jnp.arange(num_heads, dtype=jnp.float32)))
    log_decays = jnp.broadcast_to(log_decay[:, None, None], (num_heads, 1, LANES))

    def of_head(head: jax.Array, i: jax.Array) -> tuple[Any, ...]:
        del i
        return lax.rem(head, num_heads), 0, 0

    whole = pl.BlockSpec((None, seq_len, head_dim), batched_whole)
    rows = pl.BlockSpec((None, block, head_dim), batched_rows)
    flat = (batch * num_heads, seq_len, head_dim)
    attended = pl.pallas_call(
        _retention_kernel,
        grid=(batch * num_heads, seq_len // block),
        in_specs=[
            pl.BlockSpec((None, 1, LANES), of_head),
            rows,
            whole,
            whole,
        ],
        out_specs=rows,
        out_shape=jax.ShapeDtypeStruct(flat, query.dtype),
        scratch_shapes=[pltpu.VMEM((block, head_dim), jnp.float32), pltpu.VMEM((block, LANES), jnp.float32)],
        compiler_params=pltpu.CompilerParams(
            dimension_semantics=("parallel", "arbitrary"), vmem_limit_bytes=64 * 2**20
        ),
        name="retention",
    )(log_decays, query.reshape(flat), key.reshape(flat), value.reshape(flat))
    return cast("jax.Array", attended).reshape(query.shape)


def _retention_kernel(
    log_decay_ref: Any, q_ref: Any, k_ref: Any, v_ref: Any, out_ref: Any, sum_ref: Any, magnitude_ref: Any
) -> None:
    block = q_ref.shape[0]
    row = pl.program_id(1)
    log_decay = log_decay_ref[:, :1]
    rows = lax.broadcasted_iota(jnp.int32, (block, 1), 0).astype(jnp.float32)
    columns = lax.broadcasted_iota(jnp.int32, (1, block), 1).astype(jnp.float32)

    def add(index: jax.Array, of_rows: jax.Array, of_columns: jax.Array, *, masked: bool) -> None:
        dimensions = (((1,), (1,)), ((), ()))
        scores = lax.dot_general(
            q_ref[...], k_ref[pl.ds(index * block, block)], dimensions, preferred_element_type=jnp.float32
        )
        scores = scores * of_rows * of_columns
        if masked:
            scores = jnp.where(rows >= columns, scores, 0)
        magnitude = jnp.abs(scores)
        magnitude_ref[...] += sum(magnitude[:, start : start + LANES] for start in range(0, block, LANES))
        weights = scores.astype(v_ref.dtype)
        sum_ref[...] += jnp.dot(weights, v_ref[pl.ds(index * block, block)], preferred_element_type=jnp.float32)

    magnitude_ref[...] = jnp.zeros_like(magnitude_ref)
    sum_ref[...] = jnp.zeros_like(sum_ref)
    until_end = jnp.exp(log_decay * (block - columns))

    def before_diagonal(index: jax.Array, _: None) -> None:
        distance = ((row - index - 1) * block).astype(jnp.float32)
        add(index, jnp.exp(log_decay * (rows + distance)), until_end, masked=False)

    lax.fori_loop(0, row, before_diagonal, None)
    # Within a block a factor per column exceeds 1: gamma**-1023 is at most e**32 for the first head.
    add(row, jnp.exp(log_decay * rows), jnp.exp(-log_decay * columns), masked=True)
    total = jnp.sum(magnitude_ref[...], axis=-1, keepdims=True)
    out_ref[...] = (sum_ref[...] / jnp.maximum(total, 1)).astype(out_ref.dtype)
