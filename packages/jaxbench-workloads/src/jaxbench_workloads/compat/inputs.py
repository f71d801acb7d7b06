"""How the public benchmark draws the inputs of each workload."""

from collections.abc import Mapping

from jaxbench_harness.input_distributions import Constant, Distribution, Normal
from jaxbench_workloads.compat.input_distributions import (
    Integers,
    OrderedPages,
    PermutedPages,
    PublicKeyCounts,
    PublicNormal,
    PublicQueryStarts,
    PublicUniform,
)
from jaxbench_workloads.input_distributions import Counting

_UNIT = PublicNormal()
_SMALL = PublicNormal(0.02)
_POSITIVE = PublicUniform()
_ONES, _ZEROS = Constant(1.0), Constant(0.0)
_NEAR_ONE = PublicNormal(0.1, mean=1.0)


def _small(*names: str) -> dict[str, Distribution]:
    return dict.fromkeys(names, _SMALL)


_LINEAR = {"x": _POSITIVE, **_small("weight", "bias")}
_EQUAL_GROUPS = Constant("seq_len*num_experts_per_tok//num_experts")

PUBLIC_INPUTS: Mapping[str, Mapping[str, Distribution]] = {
    "1p_Flash_Attention": dict.fromkeys(("query", "key", "value"), _UNIT),
    "2p_GQA_Attention": dict.fromkeys(("query", "key", "value"), _UNIT),
    "3p_MLA_Attention": {
        "x": _UNIT,
        **_small("q_down_proj", "q_up_proj", "kv_down_proj", "k_up_proj", "v_up_proj", "o_proj"),
    },
    "4p_Sparse_Attention": {"q": PublicNormal("1/sqrt(head_dim)"), **_small("k", "v")},
    "5p_Flex_Attention": {"q": _UNIT, **_small("k", "v"), "rel_pos_bias": PublicNormal(0.01)},
    "6p_Paged_Attention": {
        "queries": _UNIT,
        **_small("k_pages", "v_pages"),
        "kv_lens": Constant("pages_per_seq*page_size"),
        "page_indices": OrderedPages(),
        "cu_q_lens": Counting(),
    },
    "7p_Ragged_Paged_Attention": {
        "queries": _UNIT,
        "kv_pages": _UNIT,
        "kv_lens": PublicKeyCounts(),
        "page_indices": PermutedPages(),
        "cu_q_lens": PublicQueryStarts(),
        "num_seqs": Constant("num_decodes+num_prefills"),
    },
    "8p_GEMM": {"A": _UNIT, "B": _SMALL},
    "9p_SwiGLU_MLP": {"x": _UNIT, **_small("gate_kernel", "up_kernel", "down_kernel")},
    "10p_Sparse_MoE": {
        "x": _UNIT,
        **_small("router_weights", "expert_gate_kernels", "expert_up_kernels", "expert_down_kernels"),
    },
    "11p_Megablox_GMM": {"lhs": _UNIT, "rhs": _SMALL, "group_sizes": _EQUAL_GROUPS},
    "12p_RMSNorm": {"x": _UNIT, "scale": _NEAR_ONE},
    "13p_Cross_Entropy": {"hidden": _UNIT, "weight": _SMALL, "labels": Integers("vocab_size")},
    "14p_Ragged_Dot": {"x": _UNIT, "weights": _SMALL},
    "15p_RetNet_Retention": dict.fromkeys(("query", "key", "value"), _UNIT),
    # A_log is float32 and drawn as such.
    "16p_Mamba2_SSD": {**dict.fromkeys(("query", "key", "value"), _UNIT), "A_log": Normal(0.5, mean=-4.0)},
    "17p_Triangle_Multiplication": {
        "pair_act": _UNIT,
        "mask": _ONES,
        **_small("left_proj_w", "right_proj_w", "left_gate_w", "right_gate_w", "out_proj_w", "out_gate_w"),
        "center_scale": _NEAR_ONE,
    },
    "18k_Conv2D_ReLU_BiasAdd": {"x": _POSITIVE, **_small("weight", "conv_bias", "bias")},
    "19k_Matmul_Subtract_Multiply_ReLU": _LINEAR,
    "20k_Gemm_Multiply_LeakyReLU": _LINEAR,
    "21k_Gemm_Divide_Sum_Scaling": {"x": _POSITIVE, "weight": _UNIT},
    "22k_Conv2d_InstanceNorm_Divide": {
        "x": _POSITIVE,
        **_small("weight", "conv_bias"),
        "in_weight": _ONES,
        "in_bias": _ZEROS,
    },
    "23k_Matmul_Sum_Max_AvgPool_LogSumExp_LogSumExp": _LINEAR,
    "24k_Matmul_Scale_ResidualAdd_Clamp_LogSumExp_Mish": _LINEAR,
    "25k_Conv3d_GroupNorm_Mean": {"x": _POSITIVE, **_small("weight", "conv_bias", "beta"), "gamma": _ONES},
    "26k_BMM_InstanceNorm_Sum_ResidualAdd_Multiply": {
        "x": _POSITIVE,
        "y": _POSITIVE,
        **_small("bmm_weight", "bmm_bias", "in_bias"),
        "in_weight": _ONES,
    },
    "27k_Matmul_Mish_Mish": _LINEAR,
    "28k_ConvTranspose3d_LayerNorm_GELU_Scaling": {
        "x": _POSITIVE,
        "conv_weight": _UNIT,
        "conv_bias": _ZEROS,
        "ln_weight": _ONES,
        "ln_bias": _ZEROS,
    },
    "29k_Matmul_Swish_Sum_GroupNorm": {**_LINEAR, "gn_weight": _ONES, "gn_bias": _ZEROS},
    "30k_Matmul_Scaling_ResidualAdd": _LINEAR,
    "31k_Gemm_BatchNorm_GELU_ReLU": {
        "x": _POSITIVE,
        "gemm_weight": _UNIT,
        "gemm_bias": _UNIT,
        "bn_weight": _ONES,
        "bn_bias": _ZEROS,
    },
    "32k_Gemm_Sigmoid_LogSumExp": {"x": _POSITIVE, **_small("w1", "b1", "w2", "b2")},
    "33k_Conv3d_Mish_Tanh": _LINEAR,
    "34k_Conv2d_Activation_BatchNorm": {
        "x": _POSITIVE,
        "conv_weight": _UNIT,
        "conv_bias": _UNIT,
        "bn_weight": _ONES,
        "bn_bias": _ZEROS,
    },
    "35k_Gemm_Scaling_Hardtanh_GELU": _LINEAR,
    "36k_Matmul_Sigmoid_Sum": _LINEAR,
    "37k_Matmul_Swish_Scaling": _LINEAR,
    "38k_Matmul_Dropout_Softmax": _LINEAR,
    "39k_Conv2d_GELU_GlobalAvgPool": _LINEAR,
    "40k_Gemm_GroupNorm_Min_BiasAdd": {
        "x": _POSITIVE,
        **_small("weight", "linear_bias", "bias"),
        "gn_weight": _ONES,
        "gn_bias": _ZEROS,
    },
    "41k_Gemm_Add_ReLU": _LINEAR,
    "42k_Gemm_Max_Subtract_GELU": _LINEAR,
    "43k_Gemm_BatchNorm_Scaling_Softmax": {
        **_LINEAR,
        "bn_scale": _ONES,
        "bn_bias": _SMALL,
        "bn_mean": _ZEROS,
        "bn_var": _ONES,
        "scale": _ONES,
    },
    "44k_Matmul_Divide_GELU": _LINEAR,
    "45k_Gemm_GroupNorm_Swish_Multiply_Swish": {
        "x": _POSITIVE,
        **_small("gemm_weight", "gemm_bias"),
        "gn_weight": _ONES,
        "gn_bias": _ZEROS,
        "multiply_weight": _UNIT,
    },
    "46k_Conv2d_GroupNorm_Tanh_HardSwish_ResidualAdd_LogSumExp": {
        "x": _POSITIVE,
        **_small("conv_weight", "conv_bias"),
        "gn_weight": _ONES,
        "gn_bias": _ZEROS,
    },
    "47k_Matmul_Add_Swish_Tanh_GELU_Hardtanh": {**_LINEAR, "add_value": _SMALL},
    "48k_Matmul_BatchNorm_BiasAdd_Divide_Swish": {
        "x": _POSITIVE,
        **_small("weight", "linear_bias", "bias"),
        "bn_scale": _ONES,
        "bn_bias": _ZEROS,
        "bn_mean": _ZEROS,
        "bn_var": _ONES,
    },
    "49k_Matmul_AvgPool_GELU_Scale_Max": _LINEAR,
    "50k_Matmul_GELU_Softmax": _LINEAR,
}
"""One distribution per array input, by workload id."""
