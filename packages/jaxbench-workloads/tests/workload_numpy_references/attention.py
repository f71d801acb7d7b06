"""Causal attention, one query row at a time over the keys it sees; second, as whole masked matrices of scores."""

import math

import numpy as np

from workload_numpy_references.common import softmax_of_row


def flash_attention(query, key, value, **dims):
    out = np.empty_like(query)
    for batch, head, row in np.ndindex(query.shape[:3]):
        seen = slice(0, row + 1)
        scores = key[batch, head, seen] @ query[batch, head, row] / math.sqrt(dims["head_dim"])
        out[batch, head, row] = softmax_of_row(scores) @ value[batch, head, seen]
    return out


def gqa_attention(query, key, value, **dims):
    queries_per_kv_head = dims["num_query_heads"] // dims["num_kv_heads"]
    out = np.empty_like(query)
    for batch, row, head in np.ndindex(query.shape[:3]):
        seen, kv_head = slice(0, row + 1), head // queries_per_kv_head
        scores = key[batch, seen, kv_head] @ query[batch, row, head] / math.sqrt(dims["head_dim"])
        out[batch, row, head] = softmax_of_row(scores) @ value[batch, seen, kv_head]
    return out


def rotate_as_complex_number(vector, position, theta):
    """Turns the pairs (u[j], u[j + half]), read as complex numbers, by position * theta^(-2j/size)."""
    half = len(vector) // 2
    angles = position * theta ** (-2 * np.arange(half) / len(vector))
    turned = (vector[:half] + 1j * vector[half:]) * np.exp(1j * angles)
    return np.concatenate([turned.real, turned.imag])


def mla_attention(x, q_down_proj, q_up_proj, kv_down_proj, k_up_proj, v_up_proj, o_proj, **dims):
    content_size, rope_size = dims["qk_nope_head_dim"], dims["qk_rope_head_dim"]
    query_size, value_size = content_size + rope_size, dims["v_head_dim"]
    theta = dims["rope_theta"]
    out = np.zeros_like(x)
    for batch, activations in enumerate(x):
        compressed_query = activations @ q_down_proj
        compressed = activations @ kv_down_proj
        latent, shared_key = compressed[:, : dims["kv_lora_rank"]], compressed[:, dims["kv_lora_rank"] :]
        rotated_key = np.stack([rotate_as_complex_number(row, at, theta) for at, row in enumerate(shared_key)])
        for head in range(dims["num_heads"]):
            query = compressed_query @ q_up_proj[:, head * query_size : (head + 1) * query_size]
            key = latent @ k_up_proj[:, head * content_size : (head + 1) * content_size]
            value = latent @ v_up_proj[:, head * value_size : (head + 1) * value_size]
            head_out_proj = o_proj[head * value_size : (head + 1) * value_size]
            for row in range(dims["seq_len"]):
                seen = slice(0, row + 1)
                rotated_query = rotate_as_complex_number(query[row, content_size:], row, theta)
                scores = key[seen] @ query[row, :content_size] + rotated_key[seen] @ rotated_query
                weights = softmax_of_row(scores / math.sqrt(query_size))
                out[batch, row] += weights @ value[seen] @ head_out_proj
    return out


def sparse_attention(q, k, v, **dims):
    queries_per_kv_head = dims["num_query_heads"] // dims["num_kv_heads"]
    out = np.empty_like(q)
    for batch, head, row in np.ndindex(q.shape[:3]):
        seen, kv_head = slice(0, row + 1), head // queries_per_kv_head
        scores = k[batch, kv_head, seen] @ q[batch, head, row]
        out[batch, head, row] = softmax_of_row(scores) @ v[batch, kv_head, seen]
    return out


def flex_attention(q, k, v, rel_pos_bias, **dims):
    out = np.empty_like(q)
    for batch, head, row in np.ndindex(q.shape[:3]):
        seen = slice(0, row + 1)
        scores = k[batch, head, seen] @ q[batch, head, row] / math.sqrt(dims["head_dim"])
        scores = scores + rel_pos_bias[head, row, seen]
        out[batch, head, row] = softmax_of_row(scores) @ v[batch, head, seen]
    return out


def masked_attention(query, key, value, scale, bias=0.0):
    """Returns attention over (batch, head, position, head_dim), with equally many heads on either side."""
    position = np.arange(query.shape[2])
    scores = query @ np.moveaxis(key, -1, -2) * scale + bias
    scores = np.where(position[None, :] > position[:, None], -np.inf, scores)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers @ value / powers.sum(axis=-1, keepdims=True)


def dense_flash_attention(query, key, value, **dims):
    return masked_attention(query, key, value, dims["head_dim"] ** -0.5)


def dense_gqa_attention(query, key, value, **dims):
    groups = dims["num_query_heads"] // dims["num_kv_heads"]
    heads_first = [np.moveaxis(array, 2, 1) for array in (query, key, value)]
    out = masked_attention(heads_first[0], *repeat_heads(*heads_first[1:], groups), dims["head_dim"] ** -0.5)
    return np.moveaxis(out, 1, 2)


def repeat_heads(key, value, times):
    return [
        np.stack([array[:, head // times] for head in range(array.shape[1] * times)], axis=1) for array in (key, value)
    ]


def rotation_matrix(position, size, theta):
    """Returns the matrix that turns the plane of coordinates j and j + size / 2 by position * theta^(-2j/size)."""
    matrix = np.zeros((size, size))
    for j in range(size // 2):
        angle = position / theta ** (2 * j / size)
        matrix[j, j] = matrix[j + size // 2, j + size // 2] = math.cos(angle)
        matrix[j, j + size // 2] = -math.sin(angle)
        matrix[j + size // 2, j] = math.sin(angle)
    return matrix


def absorbed_mla_attention(x, q_down_proj, q_up_proj, kv_down_proj, k_up_proj, v_up_proj, o_proj, **dims):
    """Attends over the latents themselves, with the up-projections of keys and values moved to the other side."""
    heads, rank = dims["num_heads"], dims["kv_lora_rank"]
    batch, positions = x.shape[:2]
    rotations = np.stack(
        [rotation_matrix(position, dims["qk_rope_head_dim"], dims["rope_theta"]) for position in range(positions)]
    )
    query = (x @ (q_down_proj @ q_up_proj)).reshape(batch, positions, heads, -1)
    content, rope = np.split(query, [dims["qk_nope_head_dim"]], axis=-1)
    latent, shared_key = np.split(x @ kv_down_proj, [rank], axis=-1)
    key_by_head = k_up_proj.reshape(rank, heads, -1).transpose(1, 2, 0)
    value_by_head = v_up_proj.reshape(rank, heads, -1).transpose(1, 0, 2)
    query = np.concatenate(
        [np.moveaxis(content, 2, 1) @ key_by_head, np.moveaxis(rope @ np.moveaxis(rotations, 1, 2), 2, 1)], axis=-1
    )
    key = np.concatenate([latent, (rotations @ shared_key[..., None])[..., 0]], axis=-1)
    scale = (dims["qk_nope_head_dim"] + dims["qk_rope_head_dim"]) ** -0.5
    out = masked_attention(query, key[:, None], latent[:, None], scale) @ value_by_head
    return np.moveaxis(out, 1, 2).reshape(batch, positions, -1) @ o_proj


def dense_sparse_attention(q, k, v, **dims):
    return masked_attention(q, *repeat_heads(k, v, dims["num_query_heads"] // dims["num_kv_heads"]), 1.0)


def dense_flex_attention(q, k, v, rel_pos_bias, **dims):
    return masked_attention(q, k, v, dims["head_dim"] ** -0.5, rel_pos_bias)


REFERENCES = {
    "1p_Flash_Attention": flash_attention,
    "2p_GQA_Attention": gqa_attention,
    "3p_MLA_Attention": mla_attention,
    "4p_Sparse_Attention": sparse_attention,
    "5p_Flex_Attention": flex_attention,
}
SECOND_FORMULATIONS = {
    "1p_Flash_Attention": dense_flash_attention,
    "2p_GQA_Attention": dense_gqa_attention,
    "3p_MLA_Attention": absorbed_mla_attention,
    "4p_Sparse_Attention": dense_sparse_attention,
    "5p_Flex_Attention": dense_flex_attention,
}
