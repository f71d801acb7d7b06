"""The check: is an output right, judged against the float32 reference and the workload's own noise floor."""

from jaxbench_harness.check.compare import Comparison, compare_draw, rejects
from jaxbench_harness.check.limits import Failure, first_failure, floors, metrics_with_limits
from jaxbench_harness.check.metrics import Measurement, measure, nonfinite_pattern

__all__ = [
    "Comparison",
    "Failure",
    "Measurement",
    "compare_draw",
    "first_failure",
    "floors",
    "measure",
    "metrics_with_limits",
    "nonfinite_pattern",
    "rejects",
]
