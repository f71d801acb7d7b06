"""Triangle multiplication, channel by channel; second, summed over the shared index."""

import math

import numpy as np

from workload_numpy_references.common import sigmoid

EPSILON = 1e-6


def project_pairs(pair_act, mask, proj_w, gate_w):
    """Returns the masked pairs' gated projection, row by row."""
    out = np.empty(pair_act.shape[:2] + proj_w.shape[1:])
    for row in range(len(pair_act)):
        masked = pair_act[row] * mask[row]
        out[row] = masked @ proj_w * sigmoid(masked @ gate_w)
    return out


def triangle_multiplication(
    pair_act,
    mask,
    left_proj_w,
    right_proj_w,
    left_gate_w,
    right_gate_w,
    center_scale,
    out_proj_w,
    out_gate_w,
    **dims,
):
    left = project_pairs(pair_act, mask, left_proj_w, left_gate_w)
    right = project_pairs(pair_act, mask, right_proj_w, right_gate_w)
    product = np.empty_like(left)
    for channel in range(dims["C"]):
        product[:, :, channel] = left[:, :, channel] @ right[:, :, channel].T
    out = np.empty_like(pair_act)
    for i, j in np.ndindex(product.shape[:2]):
        channels = product[i, j]
        normalized = channels / math.sqrt((channels @ channels) / dims["C"] + EPSILON) * center_scale
        out[i, j] = normalized @ out_proj_w
    for i in range(dims["N"]):
        out[i] *= sigmoid(pair_act[i] @ out_gate_w)
    return out


def triangle_multiplication_by_shared_index(
    pair_act,
    mask,
    left_proj_w,
    right_proj_w,
    left_gate_w,
    right_gate_w,
    center_scale,
    out_proj_w,
    out_gate_w,
    **dims,
):
    masked = pair_act * mask
    left = masked @ left_proj_w / (1 + np.exp(-(masked @ left_gate_w)))
    right = masked @ right_proj_w / (1 + np.exp(-(masked @ right_gate_w)))
    product = np.zeros_like(pair_act)
    for k in range(dims["N"]):
        product += left[:, None, k, :] * right[None, :, k, :]
    normalized = product * ((product**2).mean(axis=-1, keepdims=True) + EPSILON) ** -0.5 * center_scale
    return normalized @ out_proj_w / (1 + np.exp(-(pair_act @ out_gate_w)))


REFERENCES = {"17p_Triangle_Multiplication": triangle_multiplication}
SECOND_FORMULATIONS = {"17p_Triangle_Multiplication": triangle_multiplication_by_shared_index}
