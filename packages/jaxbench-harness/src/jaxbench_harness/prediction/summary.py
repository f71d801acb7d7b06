"""What a record keeps of an outcome of jaxbench-predictor."""

from importlib.metadata import version

from jaxbench_harness.prediction.messages import Unpredicted
from jaxbench_harness.records import Breakdown, Predicted, PredictedPart, PredictedWait, bounded, one_line
from jaxbench_predictor import Prediction, Unavailable
from jaxbench_predictor.report import Report

_MOST = 5
"""Most parts and waits of a record."""


def summarize(outcome: Prediction | Unavailable, inputs: str | None) -> Predicted | Unpredicted:
    """Returns the timing of a record, or why there is none.

    Args:
        outcome: What the predictor said.
        inputs: Distribution and seed of the integer inputs; None where the workload has none.
    """
    if isinstance(outcome, Unavailable):
        reason = one_line(f"no prediction ({outcome.stage}): {outcome.reason}")
        return Unpredicted(reason=reason, log=bounded(outcome.log))
    return Predicted(
        model=f"jaxbench-predictor {version('jaxbench-predictor')}, {outcome.machine_version}, "
        f"libtpu {outcome.libtpu_version}",
        time_ns=outcome.time_ns,
        low_ns=outcome.low_ns,
        high_ns=outcome.high_ns,
        calibrated=outcome.calibrated,
        inputs=inputs,
        breakdown=_breakdown(outcome.report),
    )


def _breakdown(report: Report) -> Breakdown:
    return Breakdown(
        bottleneck=report.bottleneck,
        executing_ns=report.executing_ns,
        waiting_ns=report.waiting_ns,
        hbm_busy_ns=report.hbm_busy_ns,
        hbm_bytes=sum(
            traffic.nbytes * ((traffic.source == "hbm") + (traffic.destination == "hbm")) for traffic in report.traffic
        ),
        parts=tuple(
            PredictedPart(name=part.name, calls=part.calls, time_ns=part.time_ns) for part in report.hlo[:_MOST]
        ),
        waits=tuple(
            PredictedWait(
                operand=wait.operand,
                window=wait.window_shape or (),
                source=wait.source,
                destination=wait.destination,
                time_ns=wait.time_ns,
            )
            for wait in report.waits[:_MOST]
        ),
        units={unit.unit: unit.share for unit in report.units},
        assumptions=report.assumptions,
    )
