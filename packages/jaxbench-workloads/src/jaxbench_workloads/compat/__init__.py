"""Version 1 of all workloads: the semantics, shapes and inputs of the public benchmark, to compare times with.

On these inputs wrong answers can pass, and some workloads need little of their work: see their `shortcut`. Check sizes
and tolerances are those of the repaired versions where the public inputs allow.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from jaxbench_harness.formulas import Number
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.workload import Size, Workload
from jaxbench_workloads import WORKLOADS
from jaxbench_workloads.compat import references
from jaxbench_workloads.compat.input_distributions import public_batch
from jaxbench_workloads.compat.inputs import PUBLIC_INPUTS

__all__ = ["COMPAT_WORKLOADS"]

_BY_ID = {workload.id: workload for workload in WORKLOADS}


def _resized(workload_id: str, *without: str, **others: Number | Mapping[str, Number]) -> dict[str, Size]:
    """Returns the sizes of a workload without some dims and with others, which may differ between sizes."""
    resized: dict[str, Size] = {}
    for name, size in _BY_ID[workload_id].sizes.items():
        kept = {dim: value for dim, value in size.dims.items() if dim not in without}
        added = {dim: value[name] if isinstance(value, Mapping) else value for dim, value in others.items()}
        resized[name] = Size(name, kept | added)
    return resized


def _counts_of_public_batch() -> dict[str, dict[str, Number]]:
    """Returns, by dim and size, how many pairs of query and key and how many keys the public batch has."""
    batches = {name: public_batch(size.dims) for name, size in _BY_ID["7p_Ragged_Paged_Attention"].sizes.items()}
    pairs = {
        name: sum(queries * keys for queries, keys in zip(batch.query_lens, batch.kv_lens, strict=True))
        for name, batch in batches.items()
    }
    after = {name: sum(queries * (queries - 1) // 2 for queries in batch.query_lens) for name, batch in batches.items()}
    return {
        "query_key_pairs": dict(pairs),
        "useful_pairs": {name: pairs[name] - after[name] for name in pairs},
        "keys": {name: sum(batch.kv_lens) for name, batch in batches.items()},
    }


_CHANGES: Mapping[str, Mapping[str, Any]] = {
    # Every sequence fills its pages.
    "6p_Paged_Attention": {"useful_flops": None, "useful_bytes": None},
    "7p_Ragged_Paged_Attention": {
        "sizes": _resized("7p_Ragged_Paged_Attention", **_counts_of_public_batch()),
        "useful_flops": "4*num_q_heads*head_dim*useful_pairs",
        "useful_bytes": "4*max_num_batched_tokens*num_q_heads*head_dim + 4*num_kv_heads*head_dim*keys",
    },
    # Every group has the largest size there is, so that no other sizes are possible.
    "11p_Megablox_GMM": {
        "sizes": _resized("11p_Megablox_GMM", max_expert_size={"full": 256, "check": 128, "check_odd": 60}),
        "useful_bytes": None,
    },
    # The mask is 1 everywhere.
    "17p_Triangle_Multiplication": {"useful_flops": None, "useful_bytes": None},
    "21k_Gemm_Divide_Sum_Scaling": {
        "title": "Linear without bias, division, row sum, scaling",
        "semantics": "z = x @ weight^T; out[m,0] = scaling_factor * sum_o z[m,o]/divisor.",
        "reference": references.gemm_divide_sum_scaling,
        "useful_flops": "2*batch_size*input_size + hidden_size*input_size",
        "shortcut": "needs no matrix multiplication: the sum is the product of x with the summed weights",
    },
    "23k_Matmul_Sum_Max_AvgPool_LogSumExp_LogSumExp": {
        "title": "Linear, row sum, and four reductions of that one value",
        "semantics": "z = x @ weight^T + bias; s[m,0] = sum_o z[m,o]; maximum, mean, logsumexp and logsumexp over "
        "axis 1, which has size 1 by then, leave out = s.",
        "sizes": _resized("23k_Matmul_Sum_Max_AvgPool_LogSumExp_LogSumExp", "group_size"),
        "reference": references.matmul_sum_max_avg_pool_log_sum_exp_log_sum_exp,
        "useful_flops": "2*batch_size*in_features + in_features*out_features",
        "shortcut": "needs no matrix multiplication: the sum is the product of x with the summed weights",
    },
    "26k_BMM_InstanceNorm_Sum_ResidualAdd_Multiply": {
        "title": "Linear, instance normalization over axes of size 1, residual addition, multiplication",
        "semantics": "z = x @ bmm_weight^T + bmm_bias; n = (z - z)/sqrt(eps)*in_weight + in_bias, since mean and "
        "variance are over axes of size 1; out = (n + y) * y.",
        "reference": references.bmm_instance_norm_sum_residual_add_multiply,
        "useful_flops": "2*batch_size*out_features",
        "useful_bytes": "4*batch_size*out_features + 2*out_features",
        "shortcut": "needs no product: the normalization leaves in_bias, so that out = (in_bias + y) * y",
    },
    # All outputs are within a fraction of the spacing of bfloat16, so that rounding shifts all of them the same way, by
    # up to 1/256 of their value.
    "32k_Gemm_Sigmoid_LogSumExp": {
        "tolerance": Tolerance(scale="abs", rtol=0.01, atol_scale=0, offset_floor=0.004),
    },
    "49k_Matmul_AvgPool_GELU_Scale_Max": {
        "title": "Linear, average pooling over features, GELU, scaling, row maximum",
        "semantics": "z = x @ weight + bias; p[m,j] = mean of z over the features pool_kernel_size*j to "
        "pool_kernel_size*(j+1) - 1; g = 0.5*p*(1 + tanh(sqrt(2/pi)*(p + 0.044715*p^3))); "
        "out[m] = maximum over j of scale_factor * g[m,j].",
        "reference": references.matmul_avg_pool_gelu_scale_max,
        "tolerance": Tolerance(scale="std", rtol=0.01, atol_scale=0.05),
        "useful_flops": "2*batch_size*in_features*out_features//pool_kernel_size + in_features*out_features",
        "shortcut": "the weights may be averaged over each window before a product pool_kernel_size times smaller",
    },
}


def _version_1(workload: Workload) -> Workload:
    changes = {"version": 1, "distributions": {"standard": PUBLIC_INPUTS[workload.id]}}
    return replace(workload, **changes, **_CHANGES.get(workload.id, {}))


COMPAT_WORKLOADS: tuple[Workload, ...] = tuple(map(_version_1, WORKLOADS))
"""In benchmark order."""
