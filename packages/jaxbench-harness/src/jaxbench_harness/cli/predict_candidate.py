"""`jaxbench predict FILE --workload ID`: how long a candidate takes, and why, without the numeric check."""

from pathlib import Path
from typing import Annotated

import typer

from jaxbench_harness.candidate import Candidate, read_candidate, xla_baseline
from jaxbench_harness.cli.options import (
    CacheOption,
    CandidateArgument,
    ReleaseOption,
    TraceTimeoutOption,
    resolve_cache,
    resolve_config,
    resolve_timing,
)
from jaxbench_harness.cli.progress import reporting
from jaxbench_harness.cli.terminal import (
    ExitCode,
    JsonOption,
    TargetOption,
    WorkloadOption,
    err,
    exit_code,
    infrastructure_error,
    print_json,
    usage_errors,
)
from jaxbench_harness.evaluate import predict_only
from jaxbench_harness.records import Predicted, Verdict
from jaxbench_harness.registry import find_workload
from jaxbench_harness.stages.time_stage import Timed
from jaxbench_harness.workload import Workload

XLA = "xla"
"""What `--compare` takes for the baseline in place of a file."""


def predict_candidate(
    file: CandidateArgument,
    workload_id: WorkloadOption,
    compare: Annotated[
        str | None, typer.Option("--compare", metavar="FILE|xla", help="Second candidate, or `xla` for the baseline.")
    ] = None,
    timeline: Annotated[
        Path | None, typer.Option("--timeline", metavar="FILE", help="Write FILE's run as a trace for ui.perfetto.dev.")
    ] = None,
    target: TargetOption = "v6e",
    release: ReleaseOption = None,
    trace_timeout: TraceTimeoutOption = None,
    time_timeout: Annotated[
        float | None, typer.Option("--time-timeout", help="Seconds for a prediction.", show_default=False)
    ] = None,
    cached: CacheOption = True,
    as_json: JsonOption = False,
) -> None:
    """Predict how long one candidate takes at full size, and what limits it. Writes no record, checks no numbers."""
    resolve_timing(wanted=True)
    with usage_errors():
        workload = find_workload(workload_id, release)
        candidates = [_read(name, workload) for name in (str(file), compare) if name is not None]
        config = resolve_config(target, release, trace_timeout_s=trace_timeout, time_timeout_s=time_timeout)
    cache = resolve_cache(wanted=cached)
    with reporting() as reporter:
        found = [
            predict_only(
                candidate,
                workload,
                config,
                timeline=timeline is not None and candidate is candidates[0],
                release=release,
                on_stage=lambda stage, name=candidate.name: reporter.stage(name, stage),
                cache=cache,
            )
            for candidate in candidates
        ]
        for candidate, (verdict, _) in zip(candidates, found, strict=True):
            reporter.done(candidate.name, verdict)
    if timeline is not None:
        _write(timeline, found[0][1])

    from jaxbench_harness.cli import prediction_report  # noqa: PLC0415 - imports the predictor, which is optional

    if as_json:
        print_json(prediction_report.document(workload, config, release, candidates, found))
    else:
        prediction_report.show(workload, candidates, found)
    raise typer.Exit(max(_exit_code(*result) for result in found))


def _read(name: str, workload: Workload) -> Candidate:
    return xla_baseline(workload) if name == XLA else read_candidate(Path(name))


def _write(path: Path, timed: Timed | None) -> None:
    if timed is None or timed.timeline is None:
        err.print(f"no timeline was written to {path}: there is no prediction", markup=False, soft_wrap=True)
        return
    try:
        path.write_bytes(timed.timeline)
    except OSError as error:
        infrastructure_error(f"the timeline was not written to {path}: {error.strerror or error}")


def _exit_code(verdict: Verdict, timed: Timed | None) -> ExitCode:
    untimed = timed is not None and not isinstance(timed.result, Predicted)
    return max(exit_code(verdict), ExitCode.CANDIDATE_FAILED if untimed else ExitCode.PASSED)
