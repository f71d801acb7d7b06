"""Mixture of experts and grouped matmuls, token by token and group by group; second, all experts for all rows."""

import numpy as np

from workload_numpy_references.common import softmax_of_row, swish


def sparse_moe(x, router_weights, expert_gate_kernels, expert_up_kernels, expert_down_kernels, **dims):
    out = np.zeros_like(x)
    for batch, position in np.ndindex(x.shape[:2]):
        token = x[batch, position]
        logits = token @ router_weights
        # A stable sort of the negated logits leaves the lower index first among equals.
        chosen = np.argsort(-logits, kind="stable")[: dims["num_experts_per_tok"]]
        for expert, weight in zip(chosen, softmax_of_row(logits[chosen]), strict=True):
            hidden = swish(token @ expert_gate_kernels[expert]) * (token @ expert_up_kernels[expert])
            out[batch, position] += weight * (hidden @ expert_down_kernels[expert])
    return out


# The dimensions may contain the name of an input, so these are positional.
def grouped_matmul(lhs, rhs, group_sizes, max_expert_size=None, /, **_dims):
    assert max_expert_size is None or max(group_sizes) <= max_expert_size
    out = np.zeros((len(lhs), rhs.shape[2]))
    start = 0
    for group, size in enumerate(group_sizes):
        for row in range(start, start + size):
            out[row] = lhs[row] @ rhs[group]
        start += size
    return out


def batched_expert_matmul(x, weights, **dims):
    out = np.empty((dims["num_groups"], dims["M"] // dims["num_groups"], dims["N"]))
    for group, row in np.ndindex(out.shape[:2]):
        out[group, row] = x[group, row] @ weights[group]
    return out


def ragged_dot(x, weights, group_sizes, **_dims):
    """What 14p would be with rows (M, K) and a third input, unequal sizes of the groups."""
    return grouped_matmul(x, weights, group_sizes)


def dense_moe(x, router_weights, expert_gate_kernels, expert_up_kernels, expert_down_kernels, **dims):
    """Weighs the outputs of all experts, with weight 0 for one that enough others precede."""
    logits = x @ router_weights
    experts = range(dims["num_experts"])
    weights = np.zeros_like(logits)
    for expert in experts:
        own = logits[..., expert]
        ahead = sum(logits[..., other] >= own if other < expert else logits[..., other] > own for other in experts)
        weights[..., expert] = np.where(ahead < dims["num_experts_per_tok"], np.exp(own - logits.max(axis=-1)), 0)
    weights /= weights.sum(axis=-1, keepdims=True)
    out = np.zeros_like(x)
    for expert in experts:
        hidden = swish(x @ expert_gate_kernels[expert]) * (x @ expert_up_kernels[expert])
        out += weights[..., expert, None] * (hidden @ expert_down_kernels[expert])
    return out


def masked_grouped_matmul(lhs, rhs, group_sizes, _max_expert_size=None, /, **_dims):
    """Multiplies each group's matrix with all rows, the rows of other groups replaced by zeros."""
    ends = np.cumsum(group_sizes)
    row = np.arange(len(lhs))[:, None]
    return sum(
        np.where((row >= end - size) & (row < end), lhs, 0) @ matrix
        for matrix, size, end in zip(rhs, group_sizes, ends, strict=True)
    )


def expert_matmul_by_outer_products(x, weights, **dims):
    return sum(x[:, :, k, None] * weights[:, None, k, :] for k in range(dims["K"]))


def masked_ragged_dot(x, weights, group_sizes, **_dims):
    return masked_grouped_matmul(x, weights, group_sizes)


REFERENCES = {
    "10p_Sparse_MoE": sparse_moe,
    "11p_Megablox_GMM": grouped_matmul,
    # The public signature leaves no room for unequal groups.
    "14p_Ragged_Dot": batched_expert_matmul,
    "14p_Ragged_Dot@public": batched_expert_matmul,
    "14p_Ragged_Dot@ragged": ragged_dot,
}
SECOND_FORMULATIONS = {
    "10p_Sparse_MoE": dense_moe,
    "11p_Megablox_GMM": masked_grouped_matmul,
    "14p_Ragged_Dot": expert_matmul_by_outer_products,
    "14p_Ragged_Dot@public": expert_matmul_by_outer_products,
    "14p_Ragged_Dot@ragged": masked_ragged_dot,
}
