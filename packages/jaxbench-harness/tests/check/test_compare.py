import jax.numpy as jnp
import numpy as np
import pytest

from jaxbench_harness.check import Comparison, compare_draw, floors
from jaxbench_harness.records.verdict import FailureCode
from jaxbench_harness.tolerance import Tolerance

EXACT = np.random.default_rng(0).normal(size=(256, 512)).astype(np.float32)


def _compare(output, exact=EXACT, tolerance=None, noise=0.0) -> Comparison:
    native = exact + noise * np.random.default_rng(1).normal(size=exact.shape)
    return compare_draw(output, exact, native, tolerance or Tolerance(), seed=7, size="check", distribution="standard")


def test_rounding_to_bfloat16_passes_and_reports_every_metric():
    report, failure = _compare(EXACT.astype(jnp.bfloat16))
    assert failure is None
    assert report.passed
    assert (report.seed, report.size, report.distribution) == (7, "check", "standard")
    assert [metric.name for metric in report.metrics] == list(floors(Tolerance()))
    assert sum(report.histogram.counts) == EXACT.size


def test_limits_are_twice_the_noise_but_at_least_the_floor():
    report, _ = _compare(EXACT, noise=0.05, tolerance=Tolerance(noise_multiple=2.0))
    rms = next(metric for metric in report.metrics if metric.name == "rms")
    assert rms.noise == pytest.approx(0.05, rel=0.01)
    assert rms.limit == 2 * rms.noise
    slope = next(metric for metric in report.metrics if metric.name == "slope")
    assert slope.limit == Tolerance().slope_floor


def test_nan_fails_with_its_index():
    output = EXACT.copy()
    output[17, 4] = np.nan
    report, failure = _compare(output)
    assert failure is not None
    assert failure.code is FailureCode.NON_FINITE
    assert "[17, 4]" in failure.reason
    assert failure.reason.endswith("got nan; memory that a kernel has not written reads as NaN")
    assert report.metrics == ()
    assert not report.passed
    assert report.worst is not None
    assert report.worst.index == (17, 4)
    assert report.histogram.counts[-1] == 1


def test_one_wrong_element_is_an_element_error_with_index_expected_and_got():
    output = EXACT.copy()
    output[200, 300] = 9.0
    report, failure = _compare(output)
    assert failure is not None
    assert failure.code is FailureCode.ELEMENT_ERROR
    assert f"[200, 300]: expected {EXACT[200, 300]:.6g}, got 9" in failure.reason
    assert failure.reason.startswith("element is ")
    assert not report.passed


def test_a_wrong_scale_is_a_systematic_error_that_states_the_scale():
    failure = _compare(EXACT * 1.01, noise=0.05).failure
    assert failure is not None
    assert failure.code is FailureCode.SYSTEMATIC_ERROR
    assert "the output is 1.01 x reference" in failure.reason


def test_noise_is_an_rms_error():
    output = EXACT + 0.02 * np.random.default_rng(2).normal(size=EXACT.shape)
    failure = _compare(output).failure
    assert failure is not None
    assert failure.code is FailureCode.RMS_ERROR


def test_noise_cannot_hide_a_wrong_scale():
    generator = np.random.default_rng(3)
    for _ in range(20):
        output = 1.01 * EXACT + 0.09 * generator.normal(size=EXACT.shape)
        report, failure = _compare(output, noise=0.05)
        assert failure is not None
        assert "slope" in {metric.name for metric in report.metrics if not metric.passed}


@pytest.mark.parametrize("shape", [(), (0, 3)])
def test_scalars_and_empty_outputs_can_pass(shape):
    exact = np.ones(shape, np.float32)
    report, failure = _compare(exact.copy(), exact)
    assert failure is None
    assert report.passed


def test_a_scalar_one_percent_off_fails():
    assert _compare(np.float32(10.1).reshape(()), np.full((), 10.0)).failure is not None
    tight = Tolerance(scale="abs", rtol=0.002, atol_scale=0.0)
    failure = _compare(np.float32(10.1).reshape(()), np.full((), 10.0), tight).failure
    assert failure is not None
    assert failure.code is FailureCode.ELEMENT_ERROR
    assert "[]: expected 10, got 10.1" in failure.reason


def test_one_wrong_integer_fails():
    exact = np.arange(100, dtype=np.int32)
    output = exact.copy()
    output[5] += 1
    assert compare_draw(exact, exact, exact, Tolerance(), seed=0, size="check", distribution="s").failure is None
    failure = compare_draw(output, exact, exact, Tolerance(), seed=0, size="check", distribution="s").failure
    assert failure is not None
    assert failure.code is FailureCode.ELEMENT_ERROR
