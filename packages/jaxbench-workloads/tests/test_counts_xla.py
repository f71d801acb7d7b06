"""FLOPs and bytes of every workload at full size against what XLA counts in its reference.

XLA counts elementwise operations too, so that the nominal FLOPs are mostly a little less than it says. `lowered` is
before its optimizations, on a CPU; `compiled` is what the TPU compiler makes of it for v6e.
"""

import jax
import pytest

from jaxbench_harness.workload import ArraySpec

ELEMENTWISE = (0.97, 1.0)
"""Nominal FLOPs over XLA's where all that XLA counts in addition are elementwise operations on the result."""

LOWERED = {
    "7p_Ragged_Paged_Attention": (42.05, "the body of a loop counts once"),
    "10p_Sparse_MoE": (0.25, "every token goes through all 8 experts, 2 are nominal"),
    "11p_Megablox_GMM": (1 / 128, "on a CPU every row is multiplied with the weights of all 128 groups"),
    "12p_RMSNorm": (0.833, "6 elementwise operations, 5 are nominal"),
    "25k_Conv3d_GroupNorm_Mean": (0.931, "81 multiply-adds per element, and a normalization in float32"),
    "28k_ConvTranspose3d_LayerNorm_GELU_Scaling": (1.027, "nominal products outside the output are not counted"),
    "39k_Conv2d_GELU_GlobalAvgPool": (0.929, "72 multiply-adds per element, and GELU"),
    "46k_Conv2d_GroupNorm_Tanh_HardSwish_ResidualAdd_LogSumExp": (0.878, "72 multiply-adds per element, 20 others"),
}
"""Nominal FLOPs over those of the lowered reference where they are not ELEMENTWISE, and why."""


def assert_ratio(workload, flops, explained):
    ratio = workload.flop_count(workload.size("full")) / flops
    if workload.id in explained:
        assert ratio == pytest.approx(explained[workload.id][0], rel=0.02), explained[workload.id][1]
    else:
        low, high = ELEMENTWISE
        assert low < ratio < high


def test_nominal_flops_are_those_of_the_lowered_reference(workload):
    arguments = workload.arguments(workload.size("full"))
    statics = [index for index, spec in enumerate(arguments) if not isinstance(spec, ArraySpec)]
    shapes = [
        jax.ShapeDtypeStruct(spec.shape, spec.dtype) if isinstance(spec, ArraySpec) else spec for spec in arguments
    ]
    reference = workload.bound_reference(workload.size("full"))
    cost = jax.jit(reference, static_argnums=statics).lower(*shapes).cost_analysis()
    assert_ratio(workload, cost["flops"], LOWERED)
    assert cost["bytes accessed"] >= workload.useful_byte_count(workload.size("full"))
