"""`jaxbench report`: tables and figures of a results folder."""

from pathlib import Path

from jaxbench_analysis.cli.talking import (
    BaselineOption,
    ClockOption,
    DirOption,
    KindOption,
    PredictorOption,
    ReleaseOption,
    ResultsArgument,
    SourceOption,
    TargetOption,
    report_left_out,
    say,
    usage_errors,
)
from jaxbench_analysis.loading import load_results
from jaxbench_analysis.selecting import Selection


def report(
    results: ResultsArgument = "results",
    out: DirOption = Path("report"),
    kind: KindOption = None,
    target: TargetOption = None,
    release: ReleaseOption = None,
    source: SourceOption = None,
    clock: ClockOption = None,
    predictor: PredictorOption = None,
    baseline: BaselineOption = "xla",
) -> None:
    """Write a self-contained HTML page, Markdown, figures and data about results."""
    from jaxbench_analysis.report import report_of, write_report  # noqa: PLC0415 - Altair takes a second

    selection = Selection(kind, target, release, source, clock, predictor)
    with usage_errors():
        loaded = load_results(results)
        report_left_out(loaded.report)
        selected = selection.of(loaded.frame)
        every = selection.of_every_kind(loaded.frame)
        made = report_of(selected, every, loaded.report, name=results, baseline=baseline)
        files = write_report(made, out)
    say(f"{files[0]} and {len(files) - 1} more files written")
