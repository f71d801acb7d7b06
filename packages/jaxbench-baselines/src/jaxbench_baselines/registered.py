"""All baselines of this package, for the entry point `jaxbench.baselines`."""

from jaxbench_baselines.expert import Expert

EXPERTS = (
    Expert(
        workload_id="1p_Flash_Attention",
        module="attention",
        function="flash_attention",
        needs=("latent_projections",),
        library="tokamax",
        kernel="SplashAttention",
        timed="the kernel and the scaling of the queries",
    ),
)

BASELINES = tuple(expert.baseline() for expert in EXPERTS)
