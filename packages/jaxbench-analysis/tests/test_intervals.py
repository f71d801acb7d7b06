"""Intervals, against scipy and against resampling by hand."""

import numpy as np
import pytest
from scipy import stats

from jaxbench_analysis.intervals import (
    bootstrap_medians,
    percentile_interval,
    prediction_draws,
    wilson_interval,
)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8, 9, 30])
def test_medians_are_distributed_as_those_of_resamples(size):
    samples = np.random.default_rng(size).lognormal(size=size)
    drawn = bootstrap_medians(samples, 20_000, np.random.default_rng(1))
    resamples = np.random.default_rng(2).choice(samples, (20_000, size))
    expected = np.median(resamples, axis=1)
    values = np.union1d(drawn, expected)
    gap = [abs((drawn <= value).mean() - (expected <= value).mean()) for value in values]
    assert max(gap) < 0.02


def test_interval_of_a_median_is_that_of_scipy():
    samples = np.random.default_rng(0).gamma(2, size=25)
    ours = percentile_interval(bootstrap_medians(samples, 40_000, np.random.default_rng(1)))
    theirs = stats.bootstrap(
        (samples,), np.median, n_resamples=40_000, method="percentile", rng=np.random.default_rng(2)
    ).confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), rel=0.02)


def test_without_variance_there_is_no_width():
    assert percentile_interval(bootstrap_medians([3.0] * 7, 500, np.random.default_rng(0))) == (3.0, 3.0)
    assert percentile_interval(bootstrap_medians([3.0], 500, np.random.default_rng(0))) == (3.0, 3.0)


def test_predicted_times_have_their_80_percent_interval():
    drawn = prediction_draws(10.0, 8.0, 12.5, 200_000, np.random.default_rng(0))
    assert np.quantile(drawn, [0.1, 0.5, 0.9]) == pytest.approx([8.0, 10.0, 12.5], rel=0.01)


@pytest.mark.parametrize(("successes", "trials"), [(0, 1), (1, 1), (0, 10), (3, 10), (10, 10), (37, 100)])
def test_wilson_interval_is_that_of_scipy(successes, trials):
    expected = stats.binomtest(successes, trials).proportion_ci(method="wilson")
    assert wilson_interval(successes, trials) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_no_trials_no_interval():
    assert wilson_interval(0, 0) is None
