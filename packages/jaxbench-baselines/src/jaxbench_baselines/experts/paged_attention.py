"""Attention over a paged key/value cache, by the kernels that come with JAX."""

from typing import cast

import jax
from jax.experimental.pallas.ops.tpu.paged_attention import paged_attention as jax_paged_attention
from jax.experimental.pallas.ops.tpu.ragged_paged_attention import ragged_paged_attention as jax_ragged_paged_attention
from jaxtyping import Array, Float, Int

from jaxbench_baselines.experts.tiling import block_size, clear_rest
from jaxbench_baselines.settings import read_settings


def paged_attention(
    queries: Float[Array, "num_seqs heads head_dim"],
    k_pages: Float[Array, "pages page_size kv_heads head_dim"],
    v_pages: Float[Array, "pages page_size kv_heads head_dim"],
    kv_lens: Int[Array, " num_seqs"],
    page_indices: Int[Array, "num_seqs pages_per_seq"],
    cu_q_lens: Int[Array, " num_seqs_plus_1"],
) -> Float[Array, "num_seqs heads head_dim"]:
    """Paged attention of scaled queries: the kernel applies no scale.

    It wants the heads outermost. Moving them writes the whole cache anew, which takes longer than the kernel and is
    timed, since every candidate is given the pages as they are.
    """
    settings = read_settings("pages_per_compute_block")
    pages_per_seq = page_indices.shape[1]
    keys, values = (pages.transpose(2, 0, 1, 3) for pages in (k_pages, v_pages))
    query = queries[cu_q_lens[:-1]] * queries.shape[-1] ** -0.5
    blocks = block_size(pages_per_seq, settings["pages_per_compute_block"], multiple=1)
    return cast(
        "jax.Array",
        jax_paged_attention(query, keys, values, kv_lens, page_indices, pages_per_compute_block=blocks),
    )


def ragged_paged_attention(
    queries: Float[Array, "tokens heads head_dim"],
    kv_pages: Float[Array, "pages page_size key_and_value_heads head_dim"],
    kv_lens: Int[Array, " num_seqs"],
    page_indices: Int[Array, "num_seqs pages_per_seq"],
    cu_q_lens: Int[Array, " num_seqs_plus_1"],
    num_seqs: Int[Array, "1"],
) -> Float[Array, "tokens heads head_dim"]:
    """Ragged paged attention, whose arguments are the workload's.

    Its own tables have no sizes for pages of 16, and ask a device that is not there; so all three are given.
    """
    settings = read_settings("num_kv_pages_per_block", "num_queries_per_block", "vmem_limit_bytes")
    return clear_rest(
        cast(
            "jax.Array",
            jax_ragged_paged_attention(
                queries,
                kv_pages,
                kv_lens,
                page_indices,
                cu_q_lens,
                num_seqs,
                sm_scale=queries.shape[-1] ** -0.5,
                num_kv_pages_per_block=block_size(
                    page_indices.shape[1], settings["num_kv_pages_per_block"], multiple=1
                ),
                num_queries_per_block=block_size(queries.shape[0], settings["num_queries_per_block"], multiple=1),
                vmem_limit_bytes=settings["vmem_limit_bytes"],
            ),
        ),
        cu_q_lens[num_seqs[0]],
    )
