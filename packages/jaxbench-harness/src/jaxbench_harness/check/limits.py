"""Limits of the metrics, and what a metric beyond its limit means."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from jaxbench_harness.check.metrics import Measurement
from jaxbench_harness.records.base import one_line
from jaxbench_harness.records.reports import Metric, Mismatch
from jaxbench_harness.records.verdict import FailureCode
from jaxbench_harness.tolerance import Tolerance

BLOCK_SYSTEMATIC_MULTIPLE = 2.5
"""Floor of a block's slope and offset in units of the floor over the whole output."""

BLOCK_RMS_MULTIPLE = 2.0
"""Floor of a block's RMS error in units of the floor over the whole output."""

METRIC_CODES: Mapping[str, FailureCode] = {
    "element": FailureCode.ELEMENT_ERROR,
    "slope": FailureCode.SYSTEMATIC_ERROR,
    "offset": FailureCode.SYSTEMATIC_ERROR,
    "block_slope": FailureCode.SYSTEMATIC_ERROR,
    "block_offset": FailureCode.SYSTEMATIC_ERROR,
    "rms": FailureCode.RMS_ERROR,
    "block_rms": FailureCode.RMS_ERROR,
}
"""What a failing metric means, in the order in which metrics are reported: most telling first."""


class Failure(NamedTuple):
    """Why a draw failed."""

    code: FailureCode
    reason: str
    """One line: metric, value, limit, index, expected and got."""


def floors(tolerance: Tolerance) -> dict[str, float]:
    """Returns the least limit of every metric."""
    return {
        "element": 1.0,
        "slope": tolerance.slope_floor,
        "offset": tolerance.offset_floor,
        "block_slope": BLOCK_SYSTEMATIC_MULTIPLE * tolerance.slope_floor,
        "block_offset": BLOCK_SYSTEMATIC_MULTIPLE * tolerance.offset_floor,
        "rms": tolerance.rms_floor,
        "block_rms": BLOCK_RMS_MULTIPLE * tolerance.rms_floor,
    }


def metrics_with_limits(
    measured: Mapping[str, float], noise: Mapping[str, float], tolerance: Tolerance
) -> tuple[Metric, ...]:
    """Sets the limit of each metric from the noise floor.

    Args:
        measured: Metrics by name of the candidate's output against the float32 reference.
        noise: Those of the native reference's output against the same.
        tolerance: Floors and margin.

    Returns:
        One per measured metric, in the order of `METRIC_CODES`; noise is 0 where the noise run lacks it.
    """
    least = floors(tolerance)
    found: list[Metric] = []
    for name in METRIC_CODES:
        if name in measured:
            floor_noise = noise.get(name, 0.0)
            limit = max(tolerance.noise_multiple * floor_noise, least[name])
            found.append(Metric(name=name, value=measured[name], limit=limit, noise=floor_noise))
    return tuple(found)


def first_failure(metrics: tuple[Metric, ...], measured: Measurement) -> Failure | None:
    """Returns what the first metric beyond its limit means, or None when all are within."""
    for metric in metrics:
        if not metric.passed:
            numbers = f"{metric.name} is {metric.value:.4g}, its limit {metric.limit:.4g}"
            parts = [f"{numbers} (noise {metric.noise:.3g})"]
            if metric.name in measured.notes:
                parts.append(measured.notes[metric.name])
            if measured.worst is not None:
                parts.append(f"worst element {describe(measured.worst)}")
            return Failure(METRIC_CODES[metric.name], one_line("; ".join(parts)))
    return None


def nonfinite_failure(mismatch: Mismatch) -> Failure:
    """Returns the failure of an output that is non-finite elsewhere than the reference."""
    reason = f"non-finite values differ from the reference, first at {describe(mismatch)}"
    if math.isnan(mismatch.got):
        reason += "; memory that a kernel has not written reads as NaN"
    return Failure(FailureCode.NON_FINITE, one_line(reason))


def describe(mismatch: Mismatch) -> str:
    """Returns `[index]: expected x, got y`."""
    index = ", ".join(map(str, mismatch.index))
    return f"[{index}]: expected {mismatch.expected:.6g}, got {mismatch.got:.6g}"
