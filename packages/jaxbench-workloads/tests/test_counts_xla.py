"""FLOPs and bytes of every workload at full size against what XLA counts in its reference.

XLA counts elementwise operations too, so that the nominal FLOPs are mostly a little less than it says. `LOWERED` is
before its optimizations, on a CPU; `COMPILED` is what the TPU compiler makes of it for v6e.
"""

import jax
import pytest

from jaxbench_harness.candidate import xla_baseline
from jaxbench_harness.evaluate import compile_only
from jaxbench_harness.records import Compiled, ResolvedConfig
from jaxbench_harness.workload import ArraySpec

ELEMENTWISE = (0.96, 1.0)
"""Nominal FLOPs over XLA's where all that XLA counts in addition are a few elementwise operations."""

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


COMPILED = {
    "1p_Flash_Attention": (1.96, "softmax and second product become a custom call, which counts nothing"),
    "5p_Flex_Attention": (1.95, "softmax and second product become a custom call, which counts nothing"),
    "6p_Paged_Attention": (0.95, "the softmax, and the gathering of pages"),
    "7p_Ragged_Paged_Attention": (41.97, "the body of a loop counts once"),
    "10p_Sparse_MoE": (0.25, "every token goes through all 8 experts, 2 are nominal"),
    "12p_RMSNorm": (0.5, "10 elementwise operations, 5 are nominal"),
    "25k_Conv3d_GroupNorm_Mean": (0.862, "81 multiply-adds per element, and a normalization in float32"),
    "39k_Conv2d_GELU_GlobalAvgPool": (0.894, "72 multiply-adds per element, and GELU"),
    "46k_Conv2d_GroupNorm_Tanh_HardSwish_ResidualAdd_LogSumExp": (0.782, "72 multiply-adds per element, 40 others"),
}
"""The same of the compiled reference, as jax 0.12.0.1 and libtpu 0.0.50.1 count; the other 41 are ELEMENTWISE."""


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


@pytest.mark.slow
def test_nominal_flops_and_useful_bytes_are_those_of_the_compiled_reference(workload):
    pytest.importorskip("libtpu", reason="libtpu exists for x86-64 Linux only")
    config = ResolvedConfig(target="v6e", compile_timeout_s=1800)
    verdict, report = compile_only(xla_baseline(workload), workload, config)
    assert isinstance(report, Compiled), verdict
    assert_ratio(workload, report.flops, COMPILED)
    if workload.id != "7p_Ragged_Paged_Attention":  # the bytes of a loop count once too
        assert report.bytes_accessed >= workload.useful_byte_count(workload.size("full"))
