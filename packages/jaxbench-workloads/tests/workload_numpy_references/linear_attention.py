"""Retention as a recurrence over positions; second, in its parallel form."""

import numpy as np


def recurrent_retention(query, key, value, **dims):
    """Carries sum_j gamma^(i-j) key_j value_j^T, and for the L1 norm every earlier key, decayed."""
    size = dims["head_dim"]
    out = np.empty_like(query)
    for batch, head in np.ndindex(query.shape[:2]):
        gamma = 1 - 1 / 2 ** (5 + head)
        state = np.zeros((size, size))
        decayed_keys = np.zeros((dims["seq_len"], size))
        for position in range(dims["seq_len"]):
            own_query, own_key = query[batch, head, position], key[batch, head, position]
            state *= gamma
            state += own_key[:, None] * value[batch, head, position]
            decayed_keys[:position] *= gamma
            decayed_keys[position] = own_key
            norm = np.abs(decayed_keys[: position + 1] @ own_query).sum()
            out[batch, head, position] = own_query @ state / max(norm, 1)
    return out


def parallel_retention(query, key, value, **dims):
    gamma = 1 - 2.0 ** (-5 - np.arange(dims["num_heads"]))
    position = np.arange(dims["seq_len"])
    distance = position[:, None] - position[None, :]
    decay = np.where(distance >= 0, gamma[:, None, None] ** np.maximum(distance, 0), 0)
    weights = query @ key.swapaxes(-1, -2) * decay
    norm = np.maximum(np.abs(weights).sum(axis=-1, keepdims=True), 1)
    return weights / norm @ value


REFERENCES = {"15p_RetNet_Retention": recurrent_retention}
SECOND_FORMULATIONS = {"15p_RetNet_Retention": parallel_retention}
