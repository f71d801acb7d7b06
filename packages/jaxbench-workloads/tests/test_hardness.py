"""Every distribution must be able to tell a right answer from a wrong one. The bars are far from what was measured."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbench_workloads import WORKLOADS

BY_ID = {workload.id: workload for workload in WORKLOADS}


def test_outputs_are_finite_and_vary(case):
    output = case.evaluate("float32")
    assert np.isfinite(output).all()
    assert np.isfinite(case.evaluate("bfloat16")).all()
    assert output.std() > 1e-3
    assert output.std() > 0.5 * np.abs(output.mean())


def test_output_depends_on_every_input(case, centred_rms):
    output = case.evaluate()
    for name, array in case.inputs.items():
        blind = case.evaluate(**{name: jnp.full_like(array, array.astype("float32").mean())})
        assert centred_rms(blind, output) > 0.05, f"{name} hardly matters"


def test_no_constant_comes_close(case):
    output = case.evaluate()
    for constant in (0.0, output.mean(), np.median(output)):
        assert case.passing_share(np.full_like(output, constant), output) < 0.7


def test_the_inputs_themselves_are_no_answer(case, centred_rms):
    output = case.evaluate()
    for array in case.inputs.values():
        if array.shape == output.shape:
            assert centred_rms(np.asarray(array, np.float64), output) > 0.05


def wrong_attention(query, key, value):
    """Softmax without subtracting the row maximum."""
    powers = jnp.exp(jnp.matmul(query, key.swapaxes(2, 3)) * query.shape[-1] ** -0.5)
    powers = jnp.where(jnp.tri(query.shape[2], dtype=bool), powers, 0)
    return jnp.matmul(powers / powers.sum(axis=-1, keepdims=True), value)


def wrong_softmax(x, weight, bias):
    """Softmax without subtracting the row maximum."""
    powers = jnp.exp(jax.nn.gelu(x @ weight + bias))
    return powers / powers.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", ["check", "check_odd"])
@pytest.mark.parametrize(
    ("workload_id", "wrong"),
    [("1p_Flash_Attention", wrong_attention), ("50k_Matmul_GELU_Softmax", wrong_softmax)],
)
def test_peaked_inputs_overflow_a_softmax_without_maximum(workload_id, wrong, size, seed, draw_case):
    case = draw_case(BY_ID[workload_id], size, "peaked", seed)
    output = np.asarray(wrong(*(array.astype("float32") for array in case.inputs.values())))
    assert not np.isfinite(output).all()


@pytest.mark.parametrize(("distribution", "epsilon", "subtract_mean"), [("tiny", 0.0, False), ("offset", 1e-5, True)])
def test_rms_norm_distributions_see_what_they_are_for(distribution, epsilon, subtract_mean, draw_case, centred_rms):
    case = draw_case(BY_ID["12p_RMSNorm"], "check", distribution)
    x, scale = (np.asarray(array, np.float64) for array in case.inputs.values())
    x = x - x.mean(axis=-1, keepdims=True) if subtract_mean else x
    wrong = x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + epsilon) * scale
    assert centred_rms(wrong, case.evaluate()) > 0.3


def test_gemm_offset_sees_a_lost_term(draw_case):
    case = draw_case(BY_ID["8p_GEMM"], "check", "offset")
    A, B = (np.asarray(array, np.float64) for array in case.inputs.values())
    expected = case.evaluate()
    lost = (A[:, :-8] @ B[:-8] - expected).mean() / expected.std()
    assert abs(lost) > 5 * case.workload.tolerance.offset_floor
