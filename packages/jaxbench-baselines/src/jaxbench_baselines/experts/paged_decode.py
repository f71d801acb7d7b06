"""Decode attention over a paged cache that is read where it lies, page by page, with all heads of a page at once.

A page holds `page_size` positions of all key heads, one contiguous piece of HBM. Taking one head out of it would mean
reading every eighth row; moving the heads outermost beforehand, as other kernels want it, writes the whole cache anew.
Here the rows of a page, (position, head), all are keys of one product with all query heads. Of its scores only those
whose heads belong together count, an eighth with 8 key heads; the others are masked and weigh 0 in the product with
the values, whose rows lie in the same order. That multiplies eight times too much on a matrix unit which would be idle:
a query per sequence is far too little work for it.

**Tiling.** A grid step is a sequence; it loops over blocks of pages. The next block, be it of the next sequence, is
copied while this one is worked on. Only pages that hold keys are copied. **VMEM** at 16 pages of 16 positions, 8 heads
of 128 in MiB: 2 * 0.5 for keys, as much for values, 2 for scores and weights of 64 heads. **Bottleneck**: issuing the
copies, two per page, and HBM.
"""

import functools
from typing import Any, cast

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jaxtyping import Array, Float, Int

from jaxbench_baselines.experts.tiling import block_size
from jaxbench_baselines.settings import read_settings

_LOWEST = -1e30


def paged_attention(
    queries: Float[Array, "num_seqs heads head_dim"],
    k_pages: Float[Array, "pages page_size kv_heads head_dim"],
    v_pages: Float[Array, "pages page_size kv_heads head_dim"],
    kv_lens: Int[Array, " num_seqs"],
    page_indices: Int[Array, "num_seqs pages_per_seq"],
    cu_q_lens: Int[Array, " num_seqs_plus_1"],
) -> Float[Array, "num_seqs heads head_dim"]:
    """6p: one kernel; the queries are brought in order by XLA."""
    num_seqs, heads, head_dim = queries.shape
    pages, page_size, kv_heads, _ = k_pages.shape
    per_block = block_size(page_indices.shape[1], read_settings("pages_per_block")["pages_per_block"], multiple=1)
    rows = page_size * kv_heads
    buffer = pltpu.VMEM((2, per_block * rows, head_dim), k_pages.dtype)
    of_sequence = pl.BlockSpec((None, heads, head_dim), _of_sequence)
    attended = pl.pallas_call(
        functools.partial(_decode_kernel, page_size, kv_heads),
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=2,
            grid=(num_seqs,),
            in_specs=[of_sequence, pl.BlockSpec(memory_space=pl.ANY), pl.BlockSpec(memory_space=pl.ANY)],
            out_specs=of_sequence,
            scratch_shapes=[
                buffer,
                buffer,
                pltpu.SemaphoreType.DMA((2, 2)),
                pltpu.SMEM((1,), jnp.int32),
            ],
        ),
        out_shape=jax.ShapeDtypeStruct(queries.shape, queries.dtype),
        compiler_params=pltpu.CompilerParams(dimension_semantics=("arbitrary",)),
        name="paged_decode",
    )(
        kv_lens,
        page_indices,
        queries[cu_q_lens[:-1]],
        k_pages.reshape(pages, rows, head_dim),
        v_pages.reshape(pages, rows, head_dim),
    )
    return cast("jax.Array", attended)


def _of_sequence(sequence: jax.Array, lens: Any, table: Any) -> tuple[Any, ...]:
    """Index map of queries and output."""
    del lens, table
    return sequence, 0, 0


def _ceil_div(count: jax.Array, by: int) -> jax.Array:
    return lax.div(count + (by - 1), by)


def _start(copy: Any) -> None:
    copy.start()


def _wait(copy: Any) -> None:
    copy.wait()


def _decode_kernel(
    page_size: int,
    kv_heads: int,
    lens: Any,
    table: Any,
    q_ref: Any,
    k_hbm: Any,
    v_hbm: Any,
    out_ref: Any,
    k_buffer: Any,
    v_buffer: Any,
    copied: Any,
    slot_ref: Any,
) -> None:
    sequence = pl.program_id(0)
    heads, head_dim = q_ref.shape
    rows = page_size * kv_heads
    per_block = k_buffer.shape[1] // rows
    block_keys = per_block * page_size

    def for_pages(of: jax.Array, block: jax.Array | int, slot: jax.Array | int, act: Any) -> None:
        """Acts on the copies of keys and values of the pages of a block that hold keys."""
        left = _ceil_div(lens[of], page_size) - block * per_block

        def page(index: jax.Array, _: None) -> None:
            source = table[of, block * per_block + index]
            place = pl.ds(index * rows, rows)
            for which, (hbm, buffer) in enumerate(((k_hbm, k_buffer), (v_hbm, v_buffer))):
                act(pltpu.make_async_copy(hbm.at[source], buffer.at[slot, place], copied.at[slot, which]))

        lax.fori_loop(0, jnp.minimum(left, per_block), page, None)

    @pl.when(sequence == 0)
    def _() -> None:
        # Where a block has fewer pages the buffers keep what they held: it weighs 0, but 0 times NaN is none.
        v_buffer[...] = jnp.zeros_like(v_buffer)
        slot_ref[0] = 0
        for_pages(sequence, 0, 0, _start)

    blocks = _ceil_div(lens[sequence], block_keys)
    row = lax.broadcasted_iota(jnp.int32, (heads, per_block * rows), 0)
    column = lax.broadcasted_iota(jnp.int32, (heads, per_block * rows), 1)
    together = lax.rem(column, kv_heads) == lax.div(row, heads // kv_heads)
    position = lax.div(column, kv_heads)
    scale = head_dim**-0.5

    def attend(block: jax.Array, carry: tuple[jax.Array, ...]) -> tuple[jax.Array, ...]:
        largest, total, attended = carry
        slot = slot_ref[0]
        is_last = block + 1 == blocks
        following = jnp.where(is_last, sequence + 1, sequence)

        @pl.when(following < pl.num_programs(0))
        def _() -> None:
            for_pages(following, jnp.where(is_last, 0, block + 1), 1 - slot, _start)

        slot_ref[0] = 1 - slot
        for_pages(sequence, block, slot, _wait)
        dimensions = (((1,), (1,)), ((), ()))
        scores = lax.dot_general(q_ref[...], k_buffer[slot], dimensions, preferred_element_type=jnp.float32) * scale
        visible = together & (position + block * block_keys < lens[sequence])
        scores = jnp.where(visible, scores, _LOWEST)
        new = jnp.maximum(largest, jnp.max(scores, axis=-1, keepdims=True))
        weights = jnp.where(visible, jnp.exp(scores - new), 0)
        shrunk = jnp.exp(largest - new)
        products = jnp.dot(weights.astype(v_buffer.dtype), v_buffer[slot], preferred_element_type=jnp.float32)
        return new, total * shrunk + jnp.sum(weights, axis=-1, keepdims=True), attended * shrunk + products

    start = (jnp.full((heads, 1), _LOWEST), jnp.zeros((heads, 1)), jnp.zeros((heads, head_dim)))
    ended = cast("tuple[jax.Array, ...]", lax.fori_loop(0, blocks, attend, start))
    out_ref[...] = (ended[2] / ended[1]).astype(out_ref.dtype)
