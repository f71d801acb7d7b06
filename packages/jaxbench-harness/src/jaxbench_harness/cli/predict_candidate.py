"""`jaxbench predict FILE --workload ID`: how long a candidate takes, and why, without the numeric check."""

from pathlib import Path
from typing import Annotated

import typer

from jaxbench_harness.candidate import Candidate, read_candidate, xla_baseline
from jaxbench_harness.cli.documents import PredictDocument
from jaxbench_harness.cli.options import (
    CacheOption,
    CandidateArgument,
    ReleaseOption,
    TraceTimeoutOption,
    resolve_cache,
    resolve_config,
    resolve_timing,
)
from jaxbench_harness.cli.progress import Reporter, reporting
from jaxbench_harness.cli.report import print_verdict
from jaxbench_harness.cli.terminal import (
    ExitCode,
    JsonOption,
    TargetOption,
    WorkloadOption,
    err,
    exit_code,
    out,
    print_json,
    say,
    usage_errors,
)
from jaxbench_harness.evaluate import predict_only
from jaxbench_harness.records import Passed, Predicted, ResolvedConfig, Verdict
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
        Path | None, typer.Option("--timeline", metavar="FILE", help="Write a trace for ui.perfetto.dev.")
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
