import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbench_harness.input_distributions import Constant, Normal
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.workload import InputSpec, OutputSpec, Workload, sizes
from jaxbench_workloads.audit import Kind, Outcome, audit_workload
from jaxbench_workloads.audit.answers import blind_answers, damaged_answers
from jaxbench_workloads.audit.report import WorkloadAudit


def linear_relu(x, weight, bias):
    """Returns `max(x @ weight + bias, 0)`."""
    return jax.nn.relu(jnp.dot(x, weight) + bias)


LINEAR_RELU = Workload(
    id="test_Linear_ReLU",
    version=1,
    title="Linear, ReLU",
    tier="user",
    family="matmul_fusion",
    semantics="out = max(x @ weight + bias, 0).",
    sizes=sizes(full={"M": 512, "K": 512, "N": 512}, check={"M": 64, "K": 128, "N": 256}),
    inputs=(InputSpec("x", ("M", "K")), InputSpec("weight", ("K", "N"), role="weight"), InputSpec("bias", ("N",))),
    output=OutputSpec(("M", "N")),
    distributions={"standard": {"x": Normal(), "weight": Normal("1/sqrt(K)"), "bias": Normal(0.5)}},
    reference=linear_relu,
    tolerance=Tolerance(),
    flops="2*M*K*N",
)


def outcomes(audit: WorkloadAudit):
    return {found.answer: found.outcome for found in audit.findings}


@pytest.fixture(scope="module")
def audit():
    return audit_workload(LINEAR_RELU, seeds=(0, 1))


def test_a_sound_workload_is_clean(audit):
    assert audit.clean
    assert {found.kind for found in audit.findings} == set(Kind)
    assert audit.seeds == (0, 1)
    assert [row.distribution for row in audit.statistics] == ["standard"]


def test_mutants_are_the_mistakes_that_can_be_made_in_the_reference(audit):
    mutants = {found.answer for found in audit.findings if found.kind is Kind.MUTANT}
    assert {"max 1 skipped", "last tile of dot_general 1 dropped", "operands of dot_general 1 in int8"} <= mutants
    # Of the operands only the product could pass for the sum.
    assert [answer for answer in mutants if answer.startswith("add")] == ["add 1 skipped"]
    others = {found.answer for found in audit.findings if found.kind is Kind.INPUT}
    assert {"x ignored", "weight ignored", "bias ignored", "weight shifted by one along axis 1"} <= others


def test_statistics_describe_the_right_answers(audit):
    (row,) = audit.statistics
    # A rectified normal variable of variance 1.25: mean std/sqrt(2 pi), half of it zeros.
    assert row.least == 0
    assert row.mean == pytest.approx(np.sqrt(1.25 / (2 * np.pi)), rel=0.1)
    assert row.zeros == pytest.approx(0.5, abs=0.05)
    assert 2**-10 < row.noise_smallest <= row.noise < 2**-7


def test_honest_answers_have_room(audit):
    assert len(audit.margins) == 4
    assert all(margin.worst < 0.7 for margin in audit.margins)


def test_a_bias_of_zeros_can_be_skipped_and_the_audit_says_so():
    weak = dataclasses.replace(
        LINEAR_RELU, distributions={"standard": LINEAR_RELU.distributions["standard"] | {"bias": Constant(0)}}
    )
    found = outcomes(audit_workload(weak))
    assert found["bias ignored"] is Outcome.EQUIVALENT
    assert found["add 1 skipped"] is Outcome.EQUIVALENT
    assert found["max 1 skipped"] is Outcome.REJECTED


def test_a_loose_tolerance_accepts_wrong_answers_and_the_audit_is_not_clean():
    loose = Tolerance(rtol=0.5, atol_scale=0.9, rms_floor=0.9, slope_floor=0.9, offset_floor=0.9)
    audit = audit_workload(dataclasses.replace(LINEAR_RELU, tolerance=loose))
    assert not audit.clean
    found = outcomes(audit)
    assert found["scale 1 % up"] is found["operands of dot_general 1 in int8"] is Outcome.ACCEPTED
    scale = next(entry for entry in audit.accepted if entry.answer == "scale 1 % up")
    # |1.01 a - a| over the standard deviation of a rectified normal variable: RMS sqrt(1/2), variance 1/2 - 1/(2 pi).
    assert scale.error == pytest.approx(0.01 * np.sqrt(0.5 / (0.5 - 1 / (2 * np.pi))), rel=0.05)
    assert scale.error > scale.noise


def test_a_tolerance_below_rounding_refuses_honest_answers():
    def wide_linear_twice(x, weight, bias):
        hidden = jnp.dot(x, weight, preferred_element_type=jnp.float32) + bias
        return jnp.dot(hidden, weight.T.astype(jnp.float32)).astype(x.dtype)

    # The native reference keeps float32 between its matmuls; a matrix unit takes bfloat16.
    strict = dataclasses.replace(
        LINEAR_RELU,
        reference=wide_linear_twice,
        output=OutputSpec(("M", "K")),
        tolerance=Tolerance(rms_floor=0, noise_multiple=1),
    )
    audit = audit_workload(strict)
    assert not audit.clean
    assert "operands of contractions in bfloat16" in {margin.answer for margin in audit.refused}


def test_answers_only_leaves_out_what_evaluates_the_reference_again():
    audit = audit_workload(LINEAR_RELU, answers_only=True)
    assert {found.kind for found in audit.findings} == {Kind.BLIND, Kind.DAMAGED}
    assert audit.scope == "answers"
    assert audit.clean


def test_a_right_answer_that_is_not_finite_cannot_be_audited():
    overflowing = dataclasses.replace(
        LINEAR_RELU, distributions={"standard": LINEAR_RELU.distributions["standard"] | {"x": Normal("1e38")}}
    )
    with pytest.raises(ValueError, match="test_Linear_ReLU: the right answer to standard inputs, seed 0, isn't finite"):
        audit_workload(overflowing)


def test_seven_blind_answers():
    exact = np.arange(12.0).reshape(3, 4)
    found = dict(blind_answers(exact, np.array([[7.0, 8.0]])))
    assert len(found) == 7
    assert (found["zeros"] == 0).all()
    assert (found["mean"] == 5.5).all()
    assert (found["midrange"] == 5.5).all()
    np.testing.assert_array_equal(found["mean of each row"][:, 0], [1.5, 5.5, 9.5])
    np.testing.assert_array_equal(found["mean of each column"][0], [4, 5, 6, 7])
    np.testing.assert_array_equal(found["first input, resized"], np.tile([7, 8], (3, 2)))
    assert np.isnan(found["NaN"]).all()


def test_with_several_seeds_the_answer_of_another_is_blind_and_rejected():
    """A workload whose answer hardly depends on the draw could be passed with a constant."""
    weights = LINEAR_RELU.distributions["standard"]
    hopeless = dataclasses.replace(
        LINEAR_RELU,
        reference=lambda x, weight, bias: jax.nn.relu(jnp.dot(x * 0, weight) + jnp.mean(bias * 0) + 1),
        distributions={"standard": weights},
    )
    name = "right answer of another seed"
    assert name not in outcomes(audit_workload(LINEAR_RELU, answers_only=True))
    assert outcomes(audit_workload(LINEAR_RELU, seeds=(0, 1), answers_only=True))[name] is Outcome.REJECTED
    assert outcomes(audit_workload(hopeless, seeds=(0, 1), answers_only=True))[name] is Outcome.EQUIVALENT


def test_damage_is_where_kernels_leave_it():
    exact = np.random.default_rng(0).normal(size=(2, 24, 256))
    found = dict(damaged_answers(exact))
    np.testing.assert_allclose(found["scale 1 % up"] / exact, 1.01)
    for name, changed in {
        "last row not written": np.s_[:, -1],
        "last tile not written": np.s_[-1:, -8:, -128:],
        "last tile stale": np.s_[-1:, -8:, -128:],
    }.items():
        same = np.ones(exact.shape, bool)
        same[changed] = False
        np.testing.assert_array_equal(found[name] == exact, same)
    np.testing.assert_array_equal(found["last tile stale"][-1, -8:, -128:], exact[-1, -8:, :128])
    np.testing.assert_array_equal(found["shifted by one along axis 0"], exact[::-1])
