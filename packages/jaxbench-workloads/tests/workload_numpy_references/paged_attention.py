"""Paged attention, walking the page table of each sequence; second, over whole gathered and masked caches."""

import math

import numpy as np

from workload_numpy_references.common import softmax_of_row


def walk(pages, table, length):
    """Returns what `pages` hold of one sequence, position by position."""
    page_size = pages.shape[1]
    return np.stack([pages[table[position // page_size], position % page_size] for position in range(length)])


def paged_attention(queries, k_pages, v_pages, kv_lens, page_indices, cu_q_lens, **dims):
    queries_per_kv_head = dims["num_query_heads"] // dims["num_kv_heads"]
    out = np.empty((dims["num_seqs"], dims["num_query_heads"], dims["head_dim"]))
    for sequence in range(dims["num_seqs"]):
        keys = walk(k_pages, page_indices[sequence], kv_lens[sequence])
        values = walk(v_pages, page_indices[sequence], kv_lens[sequence])
        for head in range(dims["num_query_heads"]):
            kv_head = head // queries_per_kv_head
            scores = keys[:, kv_head] @ queries[cu_q_lens[sequence], head] / math.sqrt(dims["head_dim"])
            out[sequence, head] = softmax_of_row(scores) @ values[:, kv_head]
    return out


# The dimensions may contain names of inputs, so these are positional.
def ragged_paged_attention(queries, kv_pages, kv_lens, page_indices, cu_q_lens, num_seqs, /, **dims):
    queries_per_kv_head = dims["num_q_heads"] // dims["num_kv_heads"]
    out = np.zeros_like(queries)
    for sequence in range(num_seqs[0]):
        cache = walk(kv_pages, page_indices[sequence], kv_lens[sequence])
        tokens = range(cu_q_lens[sequence], cu_q_lens[sequence + 1])
        tokens_before = kv_lens[sequence] - len(tokens)
        for row, token in enumerate(tokens):
            seen = slice(0, tokens_before + row + 1)
            for head in range(dims["num_q_heads"]):
                kv_head = head // queries_per_kv_head
                keys, values = cache[seen, 2 * kv_head], cache[seen, 2 * kv_head + 1]
                scores = keys @ queries[token, head] / math.sqrt(dims["head_dim"])
                out[token, head] = softmax_of_row(scores) @ values
    return out


def attend_where(seen, queries, keys, values):
    """Returns attention of queries (row, head, size) over keys (row, position, head, size) where `seen`."""
    times = queries.shape[1] // keys.shape[2]
    keys, values = np.repeat(keys, times, axis=2), np.repeat(values, times, axis=2)
    scores = (queries[:, None] * keys).sum(axis=-1) * queries.shape[-1] ** -0.5
    scores = np.where(seen[:, :, None], scores, -1e30)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)
    return (weights[..., None] * values).sum(axis=1)


def gathered_paged_attention(queries, k_pages, v_pages, kv_lens, page_indices, cu_q_lens, **dims):
    capacity = dims["pages_per_seq"] * dims["page_size"]
    keys, values = (
        pages[page_indices].reshape(-1, capacity, dims["num_kv_heads"], dims["head_dim"])
        for pages in (k_pages, v_pages)
    )
    return attend_where(np.arange(capacity) < kv_lens[:, None], queries[cu_q_lens[:-1]], keys, values)


def gathered_ragged_paged_attention(queries, kv_pages, kv_lens, page_indices, cu_q_lens, num_seqs, /, **dims):
    """Finds the sequence of each token instead of the tokens of each sequence."""
    active = num_seqs.item()
    token = np.arange(cu_q_lens[active])
    sequence = np.searchsorted(cu_q_lens[1 : active + 1], token, side="right")
    position = kv_lens[sequence] - (cu_q_lens[sequence + 1] - token)
    pairs = (-1, dims["pages_per_seq"] * dims["page_size"], dims["num_kv_heads"], 2, dims["head_dim"])
    out = np.zeros_like(queries)
    # Chunks bound the size of what is gathered.
    for start in range(0, len(token), 16):
        chunk = slice(start, start + 16)
        caches = kv_pages[page_indices[sequence[chunk]]].reshape(pairs)
        seen = np.arange(caches.shape[1]) <= position[chunk, None]
        out[token[chunk]] = attend_where(seen, queries[token[chunk]], caches[..., 0, :], caches[..., 1, :])
    return out


REFERENCES = {
    "6p_Paged_Attention": paged_attention,
    "7p_Ragged_Paged_Attention": ragged_paged_attention,
}
SECOND_FORMULATIONS = {
    "6p_Paged_Attention": gathered_paged_attention,
    "7p_Ragged_Paged_Attention": gathered_ragged_paged_attention,
}
