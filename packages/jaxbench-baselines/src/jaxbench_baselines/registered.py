"""All baselines of this package, for the entry point `jaxbench.baselines`."""

from jaxbench_baselines.expert import Expert

_ALONE = "the kernel alone"
_TOKAMAX, _JAX, _OURS = "tokamax", "jax", "jaxbench-baselines"

_MATMUL = ("activations", "fused_matmul", "lagged_product", "row_statistics")


def _own(workload_id: str, module: str, function: str, needs: tuple[str, ...] = (), timed: str = _ALONE) -> Expert:
    """Returns the declaration of a kernel of this package, which is named after its module."""
    return Expert(
        workload_id=workload_id,
        module=module,
        function=function,
        needs=needs,
        library=_OURS,
        kernel="fused_matmul" if "fused_matmul" in needs else module,
        timed=timed,
    )


EXPERTS = (
    Expert(
        workload_id="1p_Flash_Attention",
        module="attention",
        function="flash_attention",
        library=_TOKAMAX,
        kernel="SplashAttention",
        timed="the kernel and the scaling of the queries",
        needs=("latent_projections",),
    ),
    Expert(
        workload_id="2p_GQA_Attention",
        module="attention",
        function="grouped_query_attention",
        library=_TOKAMAX,
        kernel="SplashAttention",
        timed="the kernel, the scaling of the queries, and the transposes of inputs and output",
        needs=("latent_projections",),
    ),
    Expert(
        workload_id="3p_MLA_Attention",
        module="attention",
        function="latent_attention",
        library=_TOKAMAX,
        kernel="SplashAttention",
        timed="projections, rotation, transposes and the kernel",
        needs=("latent_projections",),
    ),
    Expert(
        workload_id="4p_Sparse_Attention",
        module="attention",
        function="sparse_attention",
        library=_TOKAMAX,
        kernel="SplashAttention",
        needs=("latent_projections",),
    ),
    Expert(
        workload_id="5p_Flex_Attention",
        module="attention",
        function="flex_attention",
        library=_JAX,
        kernel="flash_attention",
        timed="the kernel and the scaling of the queries",
        needs=("latent_projections",),
    ),
    Expert(
        workload_id="6p_Paged_Attention",
        module="paged_attention",
        function="paged_attention",
        library=_JAX,
        kernel="paged_attention",
        timed="the kernel and the change of layout of all pages",
        name="expert:jax-paged",
    ),
    Expert(
        workload_id="7p_Ragged_Paged_Attention",
        module="paged_attention",
        function="ragged_paged_attention",
        library=_JAX,
        kernel="ragged_paged_attention",
    ),
    Expert(
        workload_id="10p_Sparse_MoE",
        module="grouped_matmul",
        function="sparse_moe",
        library=_TOKAMAX,
        kernel="RaggedDot",
        timed="router, sorting, gathering, the kernels and the weighted sum",
    ),
    Expert(
        workload_id="11p_Megablox_GMM",
        module="grouped_matmul",
        function="grouped_matmul",
        library=_TOKAMAX,
        kernel="RaggedDot",
    ),
    Expert(
        workload_id="13p_Cross_Entropy",
        module="cross_entropy",
        function="cross_entropy",
        library=_TOKAMAX,
        kernel="LinearSoftmaxCrossEntropyLoss",
        name="expert:tokamax",
    ),
    Expert(
        workload_id="14p_Ragged_Dot",
        module="grouped_matmul",
        function="ragged_dot",
        library=_TOKAMAX,
        kernel="RaggedDot",
        name="expert:tokamax-v1",
    ),
    _own("9p_SwiGLU_MLP", "pointwise_fusions", "swiglu_mlp", _MATMUL, "both kernels and XLA's down projection"),
    _own(
        "13p_Cross_Entropy", "row_fusions", "cross_entropy", (*_MATMUL, "pointwise_fusions"), "the kernel and the mean"
    ),
    _own("14p_Ragged_Dot", "pointwise_fusions", "ragged_dot", _MATMUL),
    _own("12p_RMSNorm", "normalization", "rms_norm"),
    _own("15p_RetNet_Retention", "retention", "retention"),
    _own("16p_Mamba2_SSD", "state_space", "state_space_duality", (), "the kernel and the cumulated decays"),
    _own("17p_Triangle_Multiplication", "triangle", "triangle_multiplication", ("activations",), "its three kernels"),
    _own("6p_Paged_Attention", "paged_decode", "paged_attention", (), "the kernel and the order of the queries"),
    _own("8p_GEMM", "pointwise_fusions", "gemm", _MATMUL),
    _own("19k_Matmul_Subtract_Multiply_ReLU", "pointwise_fusions", "matmul_subtract_multiply_relu", _MATMUL),
    _own("20k_Gemm_Multiply_LeakyReLU", "pointwise_fusions", "gemm_multiply_leaky_relu", _MATMUL),
    _own("27k_Matmul_Mish_Mish", "pointwise_fusions", "matmul_mish_mish", _MATMUL),
    _own("30k_Matmul_Scaling_ResidualAdd", "pointwise_fusions", "matmul_scaling_residual_add", _MATMUL),
    _own("35k_Gemm_Scaling_Hardtanh_GELU", "pointwise_fusions", "gemm_scaling_hardtanh_gelu", _MATMUL),
    _own("37k_Matmul_Swish_Scaling", "pointwise_fusions", "matmul_swish_scaling", _MATMUL),
    _own("41k_Gemm_Add_ReLU", "pointwise_fusions", "gemm_add_relu", _MATMUL),
    _own("44k_Matmul_Divide_GELU", "pointwise_fusions", "matmul_divide_gelu", _MATMUL),
    _own(
        "47k_Matmul_Add_Swish_Tanh_GELU_Hardtanh", "pointwise_fusions", "matmul_add_swish_tanh_gelu_hardtanh", _MATMUL
    ),
    _own(
        "48k_Matmul_BatchNorm_BiasAdd_Divide_Swish",
        "pointwise_fusions",
        "matmul_batch_norm_bias_add_divide_swish",
        _MATMUL,
    ),
    _own("31k_Gemm_BatchNorm_GELU_ReLU", "row_fusions", "gemm_batch_norm_gelu_relu", (*_MATMUL, "pointwise_fusions")),
    _own("38k_Matmul_Dropout_Softmax", "row_fusions", "matmul_dropout_softmax", (*_MATMUL, "pointwise_fusions")),
    _own(
        "43k_Gemm_BatchNorm_Scaling_Softmax",
        "row_fusions",
        "gemm_batch_norm_scaling_softmax",
        (*_MATMUL, "pointwise_fusions"),
    ),
    _own("50k_Matmul_GELU_Softmax", "row_fusions", "matmul_gelu_softmax", (*_MATMUL, "pointwise_fusions")),
    _own("42k_Gemm_Max_Subtract_GELU", "row_fusions", "gemm_max_subtract_gelu", (*_MATMUL, "pointwise_fusions")),
    _own(
        "26k_BMM_InstanceNorm_Sum_ResidualAdd_Multiply",
        "row_fusions",
        "instance_norm_residual_multiply",
        (*_MATMUL, "pointwise_fusions"),
    ),
    _own("21k_Gemm_Divide_Sum_Scaling", "row_fusions", "gemm_divide_sum_scaling", (*_MATMUL, "pointwise_fusions")),
    _own("36k_Matmul_Sigmoid_Sum", "row_fusions", "matmul_sigmoid_sum", (*_MATMUL, "pointwise_fusions")),
    _own(
        "24k_Matmul_Scale_ResidualAdd_Clamp_LogSumExp_Mish",
        "row_fusions",
        "scale_residual_add_clamp_log_sum_exp_mish",
        (*_MATMUL, "pointwise_fusions"),
    ),
    _own("32k_Gemm_Sigmoid_LogSumExp", "row_fusions", "gemm_sigmoid_log_sum_exp", (*_MATMUL, "pointwise_fusions")),
    _own("29k_Matmul_Swish_Sum_GroupNorm", "group_fusions", "matmul_swish_sum_group_norm", _MATMUL),
    _own("40k_Gemm_GroupNorm_Min_BiasAdd", "group_fusions", "gemm_group_norm_min_bias_add", _MATMUL),
    _own("45k_Gemm_GroupNorm_Swish_Multiply_Swish", "group_fusions", "gemm_group_norm_swish_multiply_swish", _MATMUL),
    _own("49k_Matmul_AvgPool_GELU_Scale_Max", "group_fusions", "avg_pool_gelu_scale_max", _MATMUL),
    _own("23k_Matmul_Sum_Max_AvgPool_LogSumExp_LogSumExp", "group_fusions", "sum_max_avg_pool_log_sum_exp", _MATMUL),
)

BASELINES = tuple(expert.baseline() for expert in EXPERTS)
