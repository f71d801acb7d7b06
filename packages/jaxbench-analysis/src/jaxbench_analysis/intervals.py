"""Uncertainty of a median, a prediction and a proportion."""

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Draws = NDArray[np.float64]

LEVEL = 0.95
"""Confidence level of every interval that is computed here."""

PREDICTION_LEVEL = 0.8
"""Level of the interval that a predicted time comes with; see the record schema."""


def bootstrap_medians(samples: Sequence[float], count: int, rng: np.random.Generator) -> Draws:
    """Draws medians of resamples with replacement.

    The k-th smallest of n indices drawn uniformly is floor(n U) with U the k-th order statistic of n uniforms, which is
    Beta(k, n - k + 1) distributed; given it, the next one is U + (1 - U) Beta(1, n - k). So the medians are drawn
    exactly as if each resample had been made and sorted. (David and Nagaraja, Order Statistics, 3rd ed., 2.1 and 2.5.)

    Args:
        samples: At least one number.
        count: How many medians to draw.
        rng: Source of randomness.

    Returns:
        `count` medians.
    """
    ordered = np.sort(np.asarray(samples, dtype=np.float64))
    size = len(ordered)
    middle = (size + 1) // 2
    first = rng.beta(middle, size - middle + 1, count)
    low = ordered[_index(first, size)]
    if size % 2:
        return low
    second = first + (1 - first) * rng.beta(1, size - middle, count)
    return (low + ordered[_index(second, size)]) / 2


def prediction_draws(point: float, low: float, high: float, count: int, rng: np.random.Generator) -> Draws:
    """Draws times, log-normal with median `point` and as wide as the 80% interval from `low` to `high`."""
    width = NormalDist().inv_cdf((1 + PREDICTION_LEVEL) / 2) * 2
    scale = np.log(high / low) / width
    return point * np.exp(scale * rng.standard_normal(count))


def percentile_interval(draws: Draws, level: float = LEVEL) -> tuple[float, float]:
    """Returns the central interval that holds `level` of the draws."""
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def wilson_interval(successes: int, trials: int, level: float = LEVEL) -> tuple[float, float] | None:
    """Returns Wilson's score interval of a proportion; None without trials.

    Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927), 209-212.
    """
    if trials == 0:
        return None
    z = NormalDist().inv_cdf((1 + level) / 2)
    rate = successes / trials
    scale = 1 + z * z / trials
    middle = (rate + z * z / (2 * trials)) / scale
    reach = z / scale * (rate * (1 - rate) / trials + z * z / (4 * trials * trials)) ** 0.5
    return max(0.0, middle - reach), min(1.0, middle + reach)


def _index(uniform: Draws, size: int) -> NDArray[np.int64]:
    return np.minimum((uniform * size).astype(np.int64), size - 1)
