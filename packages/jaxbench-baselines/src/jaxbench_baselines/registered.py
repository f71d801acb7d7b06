"""All baselines of this package, for the entry point `jaxbench.baselines`."""

from jaxbench_baselines.expert import Expert

_TOKAMAX, _JAX, _OURS = "tokamax", "jax", "jaxbench-baselines"

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
        kernel="FlashAttention",
        timed="the kernel, the scaling of the queries, and the transposes of inputs and output",
        needs=("latent_projections",),
    ),
    Expert(
        workload_id="3p_MLA_Attention",
        module="attention",
        function="latent_attention",
        library=_TOKAMAX,
        kernel="FlashAttention",
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
        function="grouped_matmul_first",
        library=_TOKAMAX,
        kernel="RaggedDot",
    ),
    Expert(
        workload_id="11p_Megablox_GMM",
        module="grouped_matmul",
        function="grouped_matmul",
        library=_TOKAMAX,
        kernel="V2RaggedDot",
        name="expert:tokamax-v2",
    ),
    Expert(
        workload_id="13p_Cross_Entropy",
        module="cross_entropy",
        function="cross_entropy",
        library=_TOKAMAX,
        kernel="LinearSoftmaxCrossEntropyLoss",
    ),
    Expert(
        workload_id="14p_Ragged_Dot",
        module="grouped_matmul",
        function="ragged_dot",
        library=_TOKAMAX,
        kernel="RaggedDot",
    ),
)

BASELINES = tuple(expert.baseline() for expert in EXPERTS)
