"""No workload accepts an answer that is blind to its inputs, and every workload accepts honest rounding.

Judged by the check itself, at check size, on every input distribution.
"""

import numpy as np
import pytest

from jaxbench_harness.check import compare_draw
from jaxbench_workloads import WORKLOADS

OTHER_CASES = [
    pytest.param(workload, distribution, id=f"{workload.id}-{distribution}")
    for workload in WORKLOADS
    for distribution in workload.distributions
    if distribution != "standard"
]

WITHOUT_INFLUENCE = {
    # A normalization right after the convolution or matmul removes a shift per channel.
    ("22k_Conv2d_InstanceNorm_Divide", "conv_bias"),
    ("28k_ConvTranspose3d_LayerNorm_GELU_Scaling", "conv_bias"),
    ("31k_Gemm_BatchNorm_GELU_ReLU", "gemm_bias"),
    # A mean over all channels follows, so only its mean matters, which this test keeps.
    ("25k_Conv3d_GroupNorm_Mean", "beta"),
    # One query per sequence is part of the operation, so the offsets say nothing new.
    ("6p_Paged_Attention", "cu_q_lens"),
}


def blind_answers(case):
    """Yields answers that need no look at the inputs, or only at the first."""
    exact = np.asarray(case.exact, np.float64)
    yield "zeros", np.zeros_like(exact)
    yield "mean", np.full_like(exact, exact.mean())
    yield "midrange", np.full_like(exact, (exact.max() + exact.min()) / 2)
    yield "nan", np.full_like(exact, np.nan)
    first = np.asarray(next(iter(case.inputs.values())), np.float64)
    yield "first input", np.resize(first, exact.shape)
    if exact.ndim and exact.shape[-1] > 1 and exact.size > exact.shape[-1]:
        yield "row mean", np.broadcast_to(exact.mean(axis=-1, keepdims=True), exact.shape)
    if exact.ndim > 1 and exact.shape[0] > 1 and exact[0].size > 1:
        yield "column mean", np.broadcast_to(exact.mean(axis=0, keepdims=True), exact.shape)


def judged(case, answer):
    """Returns whether the check accepts the answer, rounded to the output's dtype."""
    rounded = np.asarray(answer, np.float32).astype(case.native.dtype)
    compared = compare_draw(
        rounded,
        case.exact,
        case.native,
        case.workload.tolerance,
        seed=0,
        size=case.size.name,
        distribution=case.distribution,
    )
    return compared.failure is None


def assert_blind_rejected_and_honest_accepted(case):
    scalar = case.exact.size == 1  # one number that is right by its mean is right
    assert np.isfinite(case.exact).all()
    accepted = [name for name, answer in blind_answers(case) if judged(case, answer)]
    assert [name for name in accepted if not (scalar and name in {"mean", "midrange"})] == []
    assert judged(case, case.exact), "float32 throughout, rounded once"
    assert judged(case, np.asarray(case.native, np.float32)), "rounded op by op"
    assert not judged(case, 1.01 * case.exact), "a scale 1 % off"


def test_blind_answers_are_rejected_and_honest_ones_accepted(standard):
    assert_blind_rejected_and_honest_accepted(standard)


@pytest.mark.slow
@pytest.mark.parametrize(("workload", "distribution"), OTHER_CASES, scope="function")
def test_every_distribution_rejects_blind_answers(workload, distribution, draw_case):
    assert_blind_rejected_and_honest_accepted(draw_case(workload, "check", distribution))


def test_every_input_matters(standard, centred_rms):
    for name, array in standard.inputs.items():
        if (standard.workload.id, name) in WITHOUT_INFLUENCE or array.size == 1:
            continue
        changed = centred_rms(standard.blind_to(name), standard.exact)
        assert changed > 0.01, f"{name} hardly matters"
