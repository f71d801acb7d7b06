"""Comparison of one output with the reference: the check of one draw."""

from typing import NamedTuple

from jaxbench_harness.check.limits import Failure, first_failure, metrics_with_limits, nonfinite_failure
from jaxbench_harness.check.metrics import AnyArray, Measurement, measure, nonfinite_pattern, overall_metrics
from jaxbench_harness.records.reports import DrawReport
from jaxbench_harness.tolerance import Tolerance


class Comparison(NamedTuple):
    """Outcome of one draw."""

    report: DrawReport
    failure: Failure | None
    """The first thing wrong; None when the draw passed."""


def compare_draw(
    output: AnyArray,
    exact: AnyArray,
    native: AnyArray,
    tolerance: Tolerance,
    *,
    seed: int,
    size: str,
    distribution: str,
) -> Comparison:
    """Compares a candidate's output with the reference.

    Args:
        output: The candidate's output, in the workload's output dtype.
        exact: The float32 reference on the same inputs, same shape.
        native: The reference in its native dtype on the same inputs, same shape: the noise floor.
        tolerance: The workload's tolerance.
        seed: Seed of the inputs, for the report.
        size: Name of the size, for the report.
        distribution: Name of the input distribution, for the report.

    Returns:
        The report and, when the draw failed, why.

    Raises:
        ValueError: If the shapes differ; structure is checked before numbers.
    """
    mismatch = nonfinite_pattern(output, exact)
    measured = measure(output, exact, tolerance)
    if mismatch is not None:
        metrics, worst, failure = (), mismatch, nonfinite_failure(mismatch)
    else:
        noise = measure(native, exact, tolerance)
        metrics = metrics_with_limits(measured.values, noise.values, tolerance)
        worst, failure = measured.worst, first_failure(metrics, measured)
    report = DrawReport(
        seed=seed,
        size=size,
        distribution=distribution,
        metrics=metrics,
        worst=worst,
        histogram=measured.histogram,
    )
    return Comparison(report, failure)


def rejects(output: AnyArray, exact: AnyArray, noise: Measurement, tolerance: Tolerance) -> bool:
    """Returns whether `compare_draw` would find a failure; what is far off is told without measuring every block.

    Args:
        output: The answer, in the workload's output dtype.
        exact: The float32 reference on the same inputs, same shape.
        noise: The native reference measured against `exact`.
        tolerance: The workload's tolerance.

    Raises:
        ValueError: If the shapes differ.
    """
    if nonfinite_pattern(output, exact) is not None:
        return True
    if any(
        not metric.passed
        for metric in metrics_with_limits(overall_metrics(output, exact, tolerance), noise.values, tolerance)
    ):
        return True
    measured = measure(output, exact, tolerance)
    return first_failure(metrics_with_limits(measured.values, noise.values, tolerance), measured) is not None
