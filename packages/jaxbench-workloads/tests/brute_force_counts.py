"""Counts what workloads cannot do without by going through the inputs that were drawn, one mask or page at a time.

`USEFUL_FLOPS` and `UNREAD_BYTES` map a workload's id to a function of its inputs, by name, and its dims. Workloads that
are not in them need all of their contractions, and all of their inputs.
"""

import itertools
import math

import numpy as np
from jaxpr_contractions import contraction_flops, trace


def hidden_pairs(seq_len):
    """Returns how many pairs of query and key position the causal mask hides, one by one."""
    return sum(key > query for query, key in itertools.product(range(seq_len), repeat=2))


def of_causal_attention(seq_axis):
    """Both contractions over the visible pairs alone; axis of the positions in the queries, which come first."""

    def flops(workload, size, inputs):
        query = next(iter(inputs.values()))
        per_position = 2 * 2 * query.size // query.shape[seq_axis]
        return contraction_flops(trace(workload, size)) - hidden_pairs(query.shape[seq_axis]) * per_position

    return flops


def of_latent_attention(workload, size, _inputs):
    """Keys of two parts and values of one, per head."""
    widths = size.dims["qk_nope_head_dim"] + size.dims["qk_rope_head_dim"] + size.dims["v_head_dim"]
    per_pair = 2 * size.dims["batch"] * size.dims["num_heads"] * widths
    return contraction_flops(trace(workload, size)) - hidden_pairs(size.dims["seq_len"]) * per_pair


def visible_slots(inputs, page_size):
    """Yields, for every row of queries, the slots (page, slot in page) of the keys that it may use."""
    starts, lengths, table = (np.asarray(inputs[name]) for name in ("cu_q_lens", "kv_lens", "page_indices"))
    for sequence in range(int(inputs["num_seqs"][0]) if "num_seqs" in inputs else len(lengths)):
        for row in range(starts[sequence], starts[sequence + 1]):
            last = lengths[sequence] - starts[sequence + 1] + row
            yield row, {(int(table[sequence, key // page_size]), key % page_size) for key in range(last + 1)}


def of_paged_attention(_workload, size, inputs):
    """Two products of head_dim per query head and visible key."""
    _, heads, head_dim = inputs["queries"].shape
    pairs = sum(len(slots) for _, slots in visible_slots(inputs, size.dims["page_size"]))
    return 2 * 2 * heads * head_dim * pairs


def unread_by_paged_attention(_workload, size, inputs):
    """Slots that no row sees, rows of no sequence, and all indices: they are not counted."""
    rows, read = set(), set()
    for row, slots in visible_slots(inputs, size.dims["page_size"]):
        rows.add(row)
        read |= slots
    pools = [pool for name, pool in inputs.items() if name.endswith("_pages")]
    slots = math.prod(pools[0].shape[:2])
    per_slot = sum(pool.nbytes for pool in pools) // slots
    assert len(rows) == len(inputs["queries"])
    return (slots - len(read)) * per_slot + sum(array.nbytes for array in inputs.values() if array.dtype == np.int32)


def routes(inputs, count):
    """Returns the experts of each token by router logits in float64."""
    x, router = (np.asarray(inputs[name], np.float64) for name in ("x", "router_weights"))
    logits = x.reshape(-1, x.shape[-1]) @ router
    return np.argsort(-logits, axis=-1, kind="stable")[:, :count]


def of_mixture(_workload, size, inputs):
    """The router, and three matrix products per token and expert that it goes to."""
    _, emb_dim, mlp_dim = inputs["expert_gate_kernels"].shape
    chosen = routes(inputs, size.dims["num_experts_per_tok"])
    router = sum(2 * inputs["router_weights"].size for _token in chosen)
    return router + sum(3 * 2 * emb_dim * mlp_dim for _route in chosen.ravel())


def unread_by_mixture(_workload, size, inputs):
    """Experts that no token goes to: none."""
    used = set(routes(inputs, size.dims["num_experts_per_tok"]).ravel().tolist())
    kernels = [array for name, array in inputs.items() if name.endswith("_kernels")]
    return sum(kernel[expert].nbytes for kernel in kernels for expert in range(len(kernel)) if expert not in used)


def of_grouped_matmul(_workload, _size, inputs):
    """One product of matrices per group."""
    _, in_features, out_features = inputs["rhs"].shape
    return sum(2 * int(rows) * in_features * out_features for rows in inputs["group_sizes"])


def unread_by_grouped_matmul(_workload, _size, inputs):
    """Weights of empty groups."""
    return sum(inputs["rhs"][group].nbytes for group, rows in enumerate(inputs["group_sizes"]) if rows == 0)


def of_rms_norm(workload, size, inputs):
    """Operations on single elements in the reference: square, addition to the sum, and two multiplications."""
    whole = inputs["x"].size
    arithmetic = [e for e in trace(workload, size).eqns if e.primitive.name in {"mul", "reduce_sum", "add", "div"}]
    return sum(max(operand.aval.size for operand in equation.invars) == whole for equation in arithmetic) * whole


def kept_pairs(inputs):
    """Returns the mask of a triangle multiplication, and whether a row of it has any pair at all."""
    mask = np.asarray(inputs["mask"], np.float64)[..., 0] != 0
    return mask, mask.any(axis=1)


def of_triangle(_workload, _size, inputs):
    """Four projections of each pair that is kept, a product where both pairs are, two projections where it can be."""
    channels = inputs["pair_act"].shape[-1]
    mask, row_is_kept = kept_pairs(inputs)
    projections = 4 * mask.sum() + 2 * row_is_kept.sum() ** 2
    products = sum(int(column.sum()) ** 2 for column in mask.T)
    return int(2 * projections * channels**2 + 2 * products * channels)


def unread_by_triangle(_workload, _size, inputs):
    """Pairs that are masked and whose output is 0 too."""
    mask, row_is_kept = kept_pairs(inputs)
    read = mask | (row_is_kept[:, None] & row_is_kept)
    return int((~read).sum()) * inputs["pair_act"][0, 0].nbytes


def of_transposed_convolution(_workload, size, inputs):
    """Products of input element and tap that fall inside the output, axis by axis."""
    kernel, stride, padding = (size.dims[name] for name in ("kernel_size", "stride", "padding"))
    samples, channels, *extents = inputs["x"].shape
    inside = [
        sum(0 <= stride * place + tap - padding < stride * extent for place in range(extent) for tap in range(kernel))
        for extent in extents
    ]
    return 2 * samples * channels * inputs["conv_weight"].shape[1] * math.prod(inside)


def unread(*names):
    """Inputs that do not reach the output."""
    return lambda _workload, _size, inputs: sum(inputs[name].nbytes for name in names)


def unread_by_flex_attention(_workload, _size, inputs):
    """Bias of hidden pairs."""
    bias = inputs["rel_pos_bias"]
    return hidden_pairs(bias.shape[-1]) * bias[:, 0, 0].nbytes


WITHOUT_INFLUENCE = {
    "22k_Conv2d_InstanceNorm_Divide": "conv_bias",
    "28k_ConvTranspose3d_LayerNorm_GELU_Scaling": "conv_bias",
    "31k_Gemm_BatchNorm_GELU_ReLU": "gemm_bias",
}
USEFUL_FLOPS = {
    "1p_Flash_Attention": of_causal_attention(2),
    "2p_GQA_Attention": of_causal_attention(1),
    "3p_MLA_Attention": of_latent_attention,
    "4p_Sparse_Attention": of_causal_attention(2),
    "5p_Flex_Attention": of_causal_attention(2),
    "6p_Paged_Attention": of_paged_attention,
    "7p_Ragged_Paged_Attention": of_paged_attention,
    "10p_Sparse_MoE": of_mixture,
    "11p_Megablox_GMM": of_grouped_matmul,
    "12p_RMSNorm": of_rms_norm,
    "15p_RetNet_Retention": of_causal_attention(2),
    "17p_Triangle_Multiplication": of_triangle,
    "28k_ConvTranspose3d_LayerNorm_GELU_Scaling": of_transposed_convolution,
}
UNREAD_BYTES = {
    "5p_Flex_Attention": unread_by_flex_attention,
    "6p_Paged_Attention": unread_by_paged_attention,
    "7p_Ragged_Paged_Attention": unread_by_paged_attention,
    "10p_Sparse_MoE": unread_by_mixture,
    "11p_Megablox_GMM": unread_by_grouped_matmul,
    "17p_Triangle_Multiplication": unread_by_triangle,
} | {workload: unread(name) for workload, name in WITHOUT_INFLUENCE.items()}
