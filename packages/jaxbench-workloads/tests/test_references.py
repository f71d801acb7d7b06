import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbench_workloads import WORKLOADS

FACTS = json.loads(Path(__file__).with_name("spec_facts.json").read_text())
BY_ID = {workload.id: workload for workload in WORKLOADS}


def rounded(values):
    """Rounds float64 to bfloat16 once."""
    return values.astype(np.float32).astype(jnp.bfloat16).astype(np.float64)


def test_float32_reference_agrees_with_numpy(case, centred_rms):
    got, expected = case.evaluate("float32"), case.numpy_reference()
    assert got.shape == case.workload.output.at(case.size.dims).shape
    assert centred_rms(got, expected) < 5e-6
    # float32 scores near 100, as in `peaked`, are exact to 1e-5, and so are the weights made of them.
    assert (np.abs(got - expected) / (np.abs(expected) + case.error_unit(expected))).max() < 1e-4


@pytest.mark.parametrize("size", ["check", "check_odd"])
def test_bfloat16_reference_is_as_accurate_as_the_specification_says(workload, size, draw_case, centred_rms):
    case = draw_case(workload, size, "standard")
    limit = FACTS[workload.id]["rel_fro_centered_max"]
    error = centred_rms(case.evaluate("bfloat16"), case.numpy_reference())
    assert 1e-3 < error < limit  # not below: the output itself has 8 bits


@pytest.mark.parametrize("distribution", BY_ID["8p_GEMM"].distributions)
def test_gemm_rounds_once(distribution, draw_case):
    case = draw_case(BY_ID["8p_GEMM"], "check", distribution)
    got, expected = case.evaluate("bfloat16"), rounded(case.numpy_reference())
    assert (got == expected).mean() > 0.999


@pytest.mark.parametrize("distribution", BY_ID["12p_RMSNorm"].distributions)
@pytest.mark.parametrize("jit", [jax.jit, lambda function: function], ids=["jit", "eager"])
def test_rms_norm_rounds_before_it_scales(distribution, jit, draw_case):
    case = draw_case(BY_ID["12p_RMSNorm"], "check", distribution)
    x, scale = (np.asarray(array, np.float64) for array in case.inputs.values())
    normalized = x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + case.size.dims["epsilon"])
    got = np.asarray(jit(case.workload.bound_reference(case.size))(*case.inputs.values()), np.float64)
    assert (got == rounded(rounded(normalized) * scale)).mean() > 0.999
    assert (got == rounded(normalized * scale)).mean() < 0.9
