"""Mamba-2's state-space duality as a recurrence over positions; second, in its quadratic form."""

import numpy as np


def recurrent_ssd(query, key, value, A_log, **dims):
    """Carries the decayed sums of key_j value_j^T and, for the signed norm, of key_j."""
    out = np.empty_like(query)
    for batch, head in np.ndindex(query.shape[:2]):
        state = np.zeros((dims["head_dim"], dims["head_dim"]))
        key_state = np.zeros(dims["head_dim"])
        for position in range(dims["seq_len"]):
            at = batch, head, position
            decay = 1 / (1 + np.exp(-A_log[at])) + 1e-8
            state = decay * state + key[at][:, None] * value[at]
            key_state = decay * key_state + key[at]
            out[at] = query[at] @ state / max(abs(query[at] @ key_state), 1)
    return out


def quadratic_ssd(query, key, value, A_log, **_dims):
    decay_log = np.log(1 / (1 + np.exp(-A_log)) + 1e-8)
    cumulative = decay_log.cumsum(axis=-1)
    decay = np.tril(np.exp(np.minimum(cumulative[..., :, None] - cumulative[..., None, :], 1)))
    weights = query @ key.swapaxes(-1, -2) * decay
    norm = np.maximum(np.abs(weights.sum(axis=-1, keepdims=True)), 1)
    return weights / norm @ value


REFERENCES = {"16p_Mamba2_SSD": recurrent_ssd}
SECOND_FORMULATIONS = {"16p_Mamba2_SSD": quadratic_ssd}
