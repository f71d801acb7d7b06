"""Every reference against an independent NumPy implementation in float64, and against a second formulation."""

import json
from pathlib import Path

import numpy as np
import pytest
from workload_numpy_references import SECOND_FORMULATIONS

from jaxbench_workloads import WORKLOADS

FACTS = json.loads(Path(__file__).with_name("spec_facts.json").read_text())

OTHER_CASES = [
    pytest.param(workload, size, distribution, id=f"{workload.id}-{size}-{distribution}")
    for workload in WORKLOADS
    for size in ("check", "check_odd")
    for distribution in workload.distributions
    if size in workload.sizes and (size, distribution) != ("check", "standard")
]

ROUNDED_TO_FEW_BITS = {"25k_Conv3d_GroupNorm_Mean", "13p_Cross_Entropy"}
"""Outputs with so few elements that their rounding errors may happen to be small."""


def test_exact_reference_agrees_with_numpy(standard, centred_rms):
    expected = standard.numpy_reference()
    assert standard.exact.shape == standard.workload.output.at(standard.size.dims).shape
    assert centred_rms(standard.exact, expected) < 2e-5


def test_native_reference_is_as_accurate_as_the_benchmark_says(standard, centred_rms):
    error = centred_rms(standard.native, standard.exact)
    assert error < FACTS[standard.workload.id]["rel_fro_centered_max"]
    assert error > 1e-3 or standard.workload.id in ROUNDED_TO_FEW_BITS, "bfloat16 has 8 bits"


@pytest.mark.slow
@pytest.mark.parametrize(("workload", "size", "distribution"), OTHER_CASES, scope="function")
def test_exact_reference_agrees_with_numpy_elsewhere(workload, size, distribution, draw_case, centred_rms):
    case = draw_case(workload, size, distribution)
    assert centred_rms(case.exact, case.numpy_reference()) < 2e-5


@pytest.mark.parametrize("workload_id", [name for name in SECOND_FORMULATIONS if "@" not in name])
def test_second_formulations_agree(workload_id, draw_case, centred_rms):
    (workload,) = (workload for workload in WORKLOADS if workload.id == workload_id)
    case = draw_case(workload, "check", "standard")
    assert centred_rms(case.numpy_reference(SECOND_FORMULATIONS), case.numpy_reference()) < 1e-9


@pytest.mark.parametrize("distribution", ["standard", "outliers", "offset"])
def test_gemm_rounds_once(distribution, draw_case):
    (gemm,) = (workload for workload in WORKLOADS if workload.id == "8p_GEMM")
    case = draw_case(gemm, "check", distribution)
    expected = case.numpy_reference().astype(np.float32).astype(case.native.dtype)
    assert (case.native == expected).mean() > 0.999
