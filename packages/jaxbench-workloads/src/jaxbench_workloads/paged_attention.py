"""Attention over a paged key/value cache."""

import math
from typing import cast

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from jaxbench_harness.input_distributions import Distribution, Normal, SpreadRows
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.workload import InputSpec, OutputSpec, Workload, sizes
from jaxbench_workloads.paged_input_distributions import (
    DecodeBatch,
    KeyCounts,
    MixedBatch,
    PagePool,
    PageTable,
    QueryStarts,
    SequenceCount,
)


def paged_attention(
    queries: Float[Array, "num_seqs num_query_heads head_dim"],
    k_pages: Float[Array, "num_pages page_size num_kv_heads head_dim"],
    v_pages: Float[Array, "num_pages page_size num_kv_heads head_dim"],
    kv_lens: Int[Array, " num_seqs"],
    page_indices: Int[Array, "num_seqs pages_per_seq"],
    cu_q_lens: Int[Array, " num_seqs_plus_1"],
) -> Float[Array, "num_seqs num_query_heads head_dim"]:
    """Returns grouped-query attention of one query per sequence over the sequence's pages.

    Args:
        queries: Queries by row and head.
        k_pages: Key pages.
        v_pages: Value pages.
        kv_lens: Keys of each sequence, at least 1.
        page_indices: The sequences' pages in order.
        cu_q_lens: Row of each sequence's query, then the number of rows.
    """
    num_seqs, num_kv_heads, head_dim = kv_lens.shape[0], k_pages.shape[2], queries.shape[-1]
    query = queries[cu_q_lens[:-1]].reshape(num_seqs, num_kv_heads, -1, head_dim)
    key, value = (pages[page_indices].reshape(num_seqs, -1, num_kv_heads, head_dim) for pages in (k_pages, v_pages))
    scores = jnp.einsum("nkgd,npkd->nkgp", query, key) * head_dim**-0.5
    present = jnp.arange(key.shape[1]) < kv_lens[:, None, None, None]
    weights = jax.nn.softmax(jnp.where(present, scores, -1e30), axis=-1)
    return jnp.einsum("nkgp,npkd->nkgd", weights, value).reshape(queries.shape)


_PAGES = ("num_seqs*pages_per_seq", "page_size", "num_kv_heads", "head_dim")


def _decode_inputs(queries: Distribution, batch: DecodeBatch) -> dict[str, Distribution]:
    return {
        "queries": queries,
        "k_pages": PagePool(batch, garbage_std=16, garbage_mean=0),
        "v_pages": PagePool(batch),
        "kv_lens": KeyCounts(batch),
        "page_indices": PageTable(),
        "cu_q_lens": QueryStarts(batch),
    }


# Of the six edges and of the pairs; see `decode_sequences`.
_RAGGED_KEYS = "2*page_size*pages_per_seq + 3*page_size + (num_seqs-6)*(page_size*pages_per_seq+1)//2"
"""Keys in a `ragged` batch: key/value slots that must be read."""

PAGED_ATTENTION = Workload(
    id="6p_Paged_Attention",
    version=1,
    title="Decode attention over a paged cache (one query per sequence)",
    tier="production",
    family="paged_attention",
    model="Llama-3.1-70B",
    semantics="g(h) = floor(h / (num_query_heads / num_kv_heads)); K[p,g] of sequence i = "
    "k_pages[page_indices[i, floor(p / page_size)], p mod page_size, g], and V likewise; "
    "s[h,p] = (sum_d queries[cu_q_lens[i],h,d] * K[p,g(h),d]) / sqrt(head_dim), and -1e30 where p >= kv_lens[i]; "
    "P = softmax of s over p; out[i,h,d] = sum_p P[h,p] * V[p,g(h),d].",
    sizes=sizes(
        full={
            "num_seqs": 64,
            "num_query_heads": 64,
            "num_kv_heads": 8,
            "head_dim": 128,
            "page_size": 16,
            "pages_per_seq": 256,
            "max_seq_len": 4096,
        },
        check={
            "num_seqs": 8,
            "num_query_heads": 16,
            "num_kv_heads": 8,
            "head_dim": 128,
            "page_size": 16,
            "pages_per_seq": 16,
            "max_seq_len": 256,
        },
        check_odd={
            "num_seqs": 11,
            "num_query_heads": 12,
            "num_kv_heads": 3,
            "head_dim": 128,
            "page_size": 8,
            "pages_per_seq": 24,
            "max_seq_len": 192,
        },
    ),
    inputs=(
        InputSpec("queries", ("num_seqs", "num_query_heads", "head_dim"), meaning="one query row per sequence"),
        InputSpec("k_pages", _PAGES, meaning="cache of key pages (page, slot in page, head, feature)"),
        InputSpec("v_pages", _PAGES, meaning="cache of value pages, same layout"),
        InputSpec(
            "kv_lens",
            ("num_seqs",),
            "int32",
            role="index",
            meaning="keys of each sequence, from 1 to pages_per_seq*page_size",
        ),
        InputSpec(
            "page_indices",
            ("num_seqs", "pages_per_seq"),
            "int32",
            role="index",
            meaning="page table: page of each sequence and page number in it",
        ),
        InputSpec(
            "cu_q_lens",
            ("num_seqs+1",),
            "int32",
            role="index",
            meaning="row of each sequence's query, then the number of rows: 0, 1, ..., num_seqs",
        ),
    ),
    output=OutputSpec(("num_seqs", "num_query_heads", "head_dim")),
    distributions={
        "standard": _decode_inputs(Normal(2), "ragged"),
        "short": _decode_inputs(Normal(2), "short"),
        # Scores far above 88, where exp overflows float32 unless the row maximum is subtracted.
        "peaked": _decode_inputs(SpreadRows(-1, 1.6, outlier_factor=1), "ragged"),
        # Full sequences whose keys all weigh about the same.
        "flat": _decode_inputs(Normal(0.25), "full"),
    },
    reference=paged_attention,
    tolerance=Tolerance(scale="row", rtol=0.02, atol_scale=0.1),
    flops="4*num_seqs*num_query_heads*pages_per_seq*page_size*head_dim",
    # Indices are not counted.
    useful_flops=f"4*num_query_heads*head_dim*({_RAGGED_KEYS})",
    useful_bytes=f"4*num_seqs*num_query_heads*head_dim + 4*num_kv_heads*head_dim*({_RAGGED_KEYS})",
)


_BLOCK = 64
"""Rows that the reference of ragged paged attention takes at a time; their scores fill 64 MiB at full size."""


def ragged_paged_attention(
    queries: Float[Array, "max_num_batched_tokens num_q_heads head_dim"],
    kv_pages: Float[Array, "num_pages page_size num_kv_heads_times_2 head_dim"],
    kv_lens: Int[Array, " max_num_seqs"],
    page_indices: Int[Array, "max_num_seqs pages_per_seq"],
    cu_q_lens: Int[Array, " max_num_seqs_plus_1"],
    num_seqs: Int[Array, "1"],
) -> Float[Array, "max_num_batched_tokens num_q_heads head_dim"]:
    """Returns causal grouped-query attention of packed queries, each over the pages of its sequence.

    The queries of a sequence are its last positions. Scores and softmax are float32; the weights are rounded to the
    dtype of `kv_pages`. Blocks of rows are multiplied with all pages of each sequence in them, used or not.

    Args:
        queries: Queries by row and head, sequence after sequence.
        kv_pages: Pages whose heads are keys (even) and values (odd).
        kv_lens: Keys of each sequence, those of its queries included.
        page_indices: The sequences' pages in order.
        cu_q_lens: First row of each sequence, then the number of rows.
        num_seqs: Number of active sequences; rows of no active sequence come out as 0.
    """
    _, _, heads, head_dim = kv_pages.shape

    def attend(rows: Int[Array, " block"]) -> Float[Array, "block num_kv_heads group head_dim"]:
        sequence = jnp.sum(rows[:, None] >= cu_q_lens[1:], axis=1)
        position = kv_lens[sequence] - cu_q_lens[sequence + 1] + rows
        query = queries[rows].reshape(rows.size, heads // 2, -1, head_dim)

        def fill_in(index: Int[Array, ""], out: jax.Array) -> jax.Array:
            cache = kv_pages[page_indices[index]].reshape(-1, heads, head_dim)
            key, value = cache[:, 0::2], cache[:, 1::2]
            scores = jnp.einsum("tkgd,pkd->tkgp", query, key, preferred_element_type=jnp.float32) * head_dim**-0.5
            visible = jnp.arange(key.shape[0]) <= position[:, None, None, None]
            weights = jax.nn.softmax(jnp.where(visible, scores, -0.7 * jnp.finfo(jnp.float32).max), axis=-1)
            attended = jnp.einsum("tkgp,pkd->tkgd", weights.astype(value.dtype), value).astype(out.dtype)
            return jnp.where((sequence == index)[:, None, None, None], attended, out)

        end = jnp.minimum(sequence[-1] + 1, num_seqs[0])
        return cast("jax.Array", jax.lax.fori_loop(sequence[0], end, fill_in, jnp.zeros_like(query)))

    num_rows = queries.shape[0]
    blocks = jnp.arange(math.ceil(num_rows / _BLOCK) * _BLOCK).reshape(-1, _BLOCK)
    return cast("jax.Array", jax.lax.map(attend, blocks)).reshape(-1, *queries.shape[1:])[:num_rows]


def _mixed_inputs(queries: Distribution, batch: MixedBatch) -> dict[str, Distribution]:
    return {
        "queries": queries,
        "kv_pages": PagePool(batch),
        "kv_lens": KeyCounts(batch),
        "page_indices": PageTable(),
        "cu_q_lens": QueryStarts(batch),
        "num_seqs": SequenceCount(batch),
    }


# Of three edges and of pairs; see `mixed_sequences`.
_DECODE_KEYS = "1 + page_size + page_size*pages_per_seq + (num_decodes-3)*(page_size*pages_per_seq+1)//2"
_LAST_CHUNK = "max_num_batched_tokens - num_decodes - (num_prefills-1)*chunk_len"
# What the chunks between the first and the last cannot share evenly is not drawn.
_MIXED_PAIRS = (
    f"query_key_pairs - (query_key_pairs - ({_DECODE_KEYS}) - chunk_len**2 - "
    f"({_LAST_CHUNK})*page_size*pages_per_seq) % (chunk_len*max(1, num_prefills-2))"
)
_MIXED_KEYS = (
    f"({_MIXED_PAIRS} + (chunk_len-1)*({_DECODE_KEYS}) + "
    "page_size*pages_per_seq*(num_prefills*chunk_len + num_decodes - max_num_batched_tokens))//chunk_len"
)
"""Keys in a `mixed` batch: key/value slots that must be read."""
_KEYS_AFTER_QUERY = f"(num_prefills-1)*chunk_len*(chunk_len-1)//2 + ({_LAST_CHUNK})*({_LAST_CHUNK} - 1)//2"
"""Pairs of query and key in a `mixed` batch that the causal mask removes."""

RAGGED_PAGED_ATTENTION = Workload(
    id="7p_Ragged_Paged_Attention",
    version=1,
    title="Ragged paged attention: decodes and prompt chunks in one batch",
    tier="production",
    family="paged_attention",
    model="Llama-3.1-70B",
    semantics="Sequence i < num_seqs[0] has rows cu_q_lens[i] <= t < cu_q_lens[i+1]; row t is at position "
    "q = kv_lens[i] - cu_q_lens[i+1] + t. g(h) = floor(h / (num_q_heads / num_kv_heads)); K[p,g] = "
    "kv_pages[page_indices[i, floor(p / page_size)], p mod page_size, 2*g], V[p,g] the same at 2*g + 1; "
    "s[h,p] = (queries[t,h] . K[p,g(h)]) / sqrt(head_dim) in float32, and -0.7 * the float32 maximum where p > q; "
    "P = softmax of s over p, in float32, rounded to the dtype of kv_pages; out[t,h] = sum_p P[h,p] * V[p,g(h)]; "
    "0 in rows of no active sequence.",
    sizes=sizes(
        # Of the batches drawn, not of the arrays: num_decodes, num_prefills, chunk_len, query_key_pairs.
        full={
            "max_num_batched_tokens": 4096,
            "max_num_seqs": 64,
            "num_q_heads": 64,
            "num_kv_heads": 8,
            "head_dim": 128,
            "page_size": 16,
            "pages_per_seq": 256,
            "num_decodes": 48,
            "num_prefills": 8,
            "chunk_len": 512,
            "query_key_pairs": 11176416,
        },
        check={
            "max_num_batched_tokens": 128,
            "max_num_seqs": 8,
            "num_q_heads": 16,
            "num_kv_heads": 8,
            "head_dim": 128,
            "page_size": 16,
            "pages_per_seq": 16,
            "num_decodes": 4,
            "num_prefills": 2,
            "chunk_len": 64,
            "query_key_pairs": 19857,
        },
        check_odd={
            "max_num_batched_tokens": 150,
            "max_num_seqs": 10,
            "num_q_heads": 12,
            "num_kv_heads": 3,
            "head_dim": 128,
            "page_size": 8,
            "pages_per_seq": 20,
            "num_decodes": 5,
            "num_prefills": 4,
            "chunk_len": 40,
            "query_key_pairs": 13930,
        },
    ),
    inputs=(
        InputSpec(
            "queries", ("max_num_batched_tokens", "num_q_heads", "head_dim"), meaning="packed queries by row, head"
        ),
        InputSpec(
            "kv_pages",
            ("max_num_seqs*pages_per_seq", "page_size", "2*num_kv_heads", "head_dim"),
            meaning="cache of pages (page, slot in page, head, feature); keys in even, values in odd heads",
        ),
        InputSpec(
            "kv_lens",
            ("max_num_seqs",),
            "int32",
            role="index",
            meaning="keys of each sequence, those of its queries included; 0 in inactive slots",
        ),
        InputSpec(
            "page_indices",
            ("max_num_seqs", "pages_per_seq"),
            "int32",
            role="index",
            meaning="page table: page of each sequence and page number in it",
        ),
        InputSpec(
            "cu_q_lens",
            ("max_num_seqs+1",),
            "int32",
            role="index",
            meaning="first row of each sequence, then the number of rows, repeated for inactive slots",
        ),
        InputSpec("num_seqs", (1,), "int32", role="index", meaning="number of active sequences"),
    ),
    output=OutputSpec(("max_num_batched_tokens", "num_q_heads", "head_dim")),
    distributions={
        "standard": _mixed_inputs(Normal(2), "mixed"),
        "fresh": _mixed_inputs(Normal(2), "fresh"),
        "partial": _mixed_inputs(Normal(2), "partial"),
        # Scores far above 88, where exp overflows float32 unless the row maximum is subtracted.
        "peaked": _mixed_inputs(SpreadRows(-1, 1.6, outlier_factor=1), "mixed"),
    },
    reference=ragged_paged_attention,
    tolerance=Tolerance(scale="row", rtol=0.02, atol_scale=0.1),
    flops="4*num_q_heads*head_dim*query_key_pairs",
    # Indices are not counted.
    useful_flops=f"4*num_q_heads*head_dim*({_MIXED_PAIRS} - ({_KEYS_AFTER_QUERY}))",
    useful_bytes=f"4*max_num_batched_tokens*num_q_heads*head_dim + 4*num_kv_heads*head_dim*({_MIXED_KEYS})",
)
