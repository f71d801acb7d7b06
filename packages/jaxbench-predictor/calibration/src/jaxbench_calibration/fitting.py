"""Fits by search of a grid: the mean of a smoothed |ln(predicted / measured)| decides."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from jaxbench_calibration.cases import Case, Family
from jaxbench_calibration.models import Model

_SMOOTH = 0.02

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Errors:
    """How far predictions are from measurements, as |ln(predicted / measured)|."""

    count: int
    median: float
    mean: float
    ninetieth: float
    largest: float
    bias: float
    """Mean of ln(predicted / measured)."""


@dataclass(frozen=True)
class Fit:
    """A fitted model.

    Attributes:
        model: The model.
        constants: Best constants for all cases.
        ratios: Predicted over measured with them, by case.
        left_out: The same for each case, with the constants that are best for all others.
        held_back: For each set of families that was not fitted to, the errors on it, and the constants used.
    """

    model: Model
    constants: dict[str, float]
    ratios: Floats
    left_out: Floats
    held_back: dict[str, tuple[Errors, dict[str, float]]]


def errors(ratios: Floats) -> Errors:
    """Returns the errors of ratios of predicted to measured time."""
    logs = np.log(ratios)
    sizes = np.abs(logs)
    return Errors(
        len(logs),
        float(np.median(sizes)),
        float(sizes.mean()),
        float(np.quantile(sizes, 0.9)),
        float(sizes.max()),
        float(logs.mean()),
    )


def rank_correlation(cases: Sequence[Case], ratios: Floats) -> float:
    """Returns Spearman's correlation of predicted and measured times."""
    measured = np.array([case.measured_ms for case in cases])
    return float(spearmanr(measured, measured * ratios).statistic)


def fit(model: Model, cases: Sequence[Case]) -> Fit:
    """Fits a model to cases."""
    points = [dict(zip(model.grid, values, strict=True)) for values in product(*model.grid.values())]
    logs = np.array([[np.log(model.time_ms(case, **point) / case.measured_ms) for case in cases] for point in points])
    # Squares near zero, so that the best point does not jump with every program.
    sizes = np.hypot(logs, _SMOOTH)
    everything = sizes.sum(axis=1)
    best = int(everything.argmin())
    left_out = [logs[(everything - sizes[:, k]).argmin(), k] for k in range(len(cases))]
    fusions = np.array([case.family is Family.FUSION for case in cases])
    held_back: dict[str, tuple[Errors, dict[str, float]]] = {}
    for name, trained in (("fitted to fusions, tested on the rest", fusions), ("the reverse", ~fusions)):
        if trained.any() and not trained.all():
            point = int(sizes[:, trained].sum(axis=1).argmin())
            held_back[name] = errors(np.exp(logs[point, ~trained])), points[point]
    return Fit(model, points[best], np.exp(logs[best]), np.exp(np.array(left_out)), held_back)
