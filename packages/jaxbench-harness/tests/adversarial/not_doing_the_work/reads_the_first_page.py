"""Reads the first page of every sequence only.

trick: 5
workload: 6p_Paged_Attention
outcome: reject
stage: check
code: element_error
"""

import jax
import jax.numpy as jnp


def workload(queries, k_pages, v_pages, kv_lens, page_indices, cu_q_lens):
    sequences, kv_heads, width = kv_lens.shape[0], k_pages.shape[2], queries.shape[-1]
    query = queries[cu_q_lens[:-1]].reshape(sequences, kv_heads, -1, width)
    key, value = k_pages[page_indices[:, 0]], v_pages[page_indices[:, 0]]
    scores = jnp.einsum("nkgd,npkd->nkgp", query, key) * width**-0.5
    present = jnp.arange(key.shape[1]) < kv_lens[:, None, None, None]
    weights = jax.nn.softmax(jnp.where(present, scores, -1e30), axis=-1)
    return jnp.einsum("nkgp,npkd->nkgd", weights, value).reshape(queries.shape)
