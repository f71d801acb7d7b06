"""Shows predictions to a person or a program. Imports jaxbench-predictor, which may not be installed."""

from collections.abc import Sequence

from pydantic import TypeAdapter

from jaxbench_harness.candidate import Candidate
from jaxbench_harness.cli.documents import CandidatePrediction, ComparedTimes, PredictDocument
from jaxbench_harness.cli.report import print_verdict
from jaxbench_harness.cli.terminal import out, say
from jaxbench_harness.prediction.messages import Unpredicted
from jaxbench_harness.records import Passed, Predicted, ResolvedConfig, Verdict, one_line
from jaxbench_harness.stages.time_stage import Timed
from jaxbench_harness.workload import Workload
from jaxbench_predictor import Comparison, Outcome, Prediction, Unavailable, compare, render

Found = tuple[Verdict, Timed | None]


def _outcome(timed: Timed | None) -> Prediction | Unavailable | None:
    if timed is None or timed.outcome is None:
        return None
    return TypeAdapter[Prediction | Unavailable](Outcome).validate_json(timed.outcome)


def _compared(found: Sequence[Found]) -> Comparison | None:
    outcomes = [_outcome(timed) for _, timed in found]
    match outcomes:
        case [Prediction() as first, Prediction() as second]:
            return compare(first, second)
        case _:
            return None


def show(workload: Workload, candidates: Sequence[Candidate], found: Sequence[Found]) -> None:
    """Prints what was found of one or two candidates."""
    for candidate, (verdict, timed) in zip(candidates, found, strict=True):
        if not isinstance(verdict, Passed):
            out.print(f"{candidate.name} on {workload.id}: ", end="", markup=False)
            print_verdict(verdict)
            continue
        assert timed is not None, "what passes is predicted"
        outcome = _outcome(timed)
        text = f"not timed: {timed.result.reason}" if isinstance(timed.result, Unpredicted) else ""
        say(f"{candidate.name} on {workload.id}: {render(outcome) if outcome is not None else text}\n")
    if (comparison := _compared(found)) is not None:
        first, second = (candidate.name for candidate in candidates)
        say(f"{first} (first) and {second} (second): {comparison}")


def document(
    workload: Workload,
    config: ResolvedConfig,
    release: str | None,
    candidates: Sequence[Candidate],
    found: Sequence[Found],
) -> PredictDocument:
    """Returns it as the document of `--json`."""
    comparison = _compared(found)
    return PredictDocument(
        workload_id=workload.id,
        release=release,
        target=config.target,
        predictions=tuple(
            CandidatePrediction(
                candidate_name=candidate.name,
                candidate_digest=candidate.digest,
                verdict=verdict,
                timing=timed.result if timed is not None and isinstance(timed.result, Predicted) else None,
                untimed=timed.result.reason if timed is not None and isinstance(timed.result, Unpredicted) else None,
            )
            for candidate, (verdict, timed) in zip(candidates, found, strict=True)
        ),
        comparison=comparison
        and ComparedTimes(ratio=comparison.ratio, faster=comparison.faster, why=one_line(comparison.why)),
    )
