"""Every reference against an independent NumPy implementation in float64, and against a second formulation."""

import json
from pathlib import Path

import numpy as np
import pytest

from jaxbench_workloads import WORKLOADS

FACTS = json.loads(Path(__file__).with_name("spec_facts.json").read_text())

CASES = [
    pytest.param(workload, size, distribution, id=f"{workload.id}-{size}-{distribution}")
    for workload in WORKLOADS
    for size in ("check", "check_odd")
    for distribution in workload.distributions
    if size in workload.sizes and (size == "check" or distribution == "standard")
]

ROUNDED_TO_FEW_BITS = {"25k_Conv3d_GroupNorm_Mean", "13p_Cross_Entropy"}
"""Outputs with so few elements that their rounding errors may happen to be small."""


@pytest.mark.parametrize(("workload", "size", "distribution"), CASES)
def test_exact_reference_agrees_with_numpy(workload, size, distribution, draw_case, centred_rms):
    case = draw_case(workload, size, distribution)
    expected = case.numpy_reference()
    assert case.exact.shape == workload.output.at(case.size.dims).shape
    assert centred_rms(case.exact, expected) < 2e-5


@pytest.mark.parametrize("size", ["check", "check_odd"])
def test_native_reference_is_as_accurate_as_the_benchmark_says(workload, size, draw_case, centred_rms):
    if size not in workload.sizes:
        pytest.skip(f"{workload.id} has no odd size")
    case = draw_case(workload, size, "standard")
    error = centred_rms(case.native, case.exact)
    assert error < FACTS[workload.id]["rel_fro_centered_max"]
    assert error > 1e-3 or workload.id in ROUNDED_TO_FEW_BITS, "bfloat16 has 8 bits"


def test_second_formulations_agree(workload, draw_case, centred_rms, second_formulations):
    if workload.id not in second_formulations:
        pytest.skip(f"{workload.id} has one formulation")
    case = draw_case(workload, "check", "standard")
    assert centred_rms(case.numpy_reference(second_formulations), case.numpy_reference()) < 1e-9


@pytest.mark.parametrize("distribution", ["standard", "outliers", "offset"])
def test_gemm_rounds_once(distribution, draw_case):
    (gemm,) = (workload for workload in WORKLOADS if workload.id == "8p_GEMM")
    case = draw_case(gemm, "check", distribution)
    expected = case.numpy_reference().astype(np.float32).astype(case.native.dtype)
    assert (case.native == expected).mean() > 0.999
