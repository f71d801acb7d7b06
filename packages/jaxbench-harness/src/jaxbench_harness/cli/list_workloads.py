"""`jaxbench list`: the workloads there are."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.table import Table

from jaxbench_harness.bounds import bound_for
from jaxbench_harness.cli.options import ReleaseOption
from jaxbench_harness.cli.report import plain_table
from jaxbench_harness.cli.selection import ORDERS, SelectionError, ordered, select
from jaxbench_harness.cli.terminal import (
    JsonOption,
    TargetOption,
    print_json,
    print_unfolded,
    say,
    usage_error,
    usage_errors,
)
from jaxbench_harness.cli.units import in_bytes, in_time, three_digits, with_prefix
from jaxbench_harness.cli.workload_documents import ListDocument, WorkloadSummary
from jaxbench_harness.registry import workloads_of
from jaxbench_harness.targets import get_target

_OTHER = "*"


def list_workloads(
    target: TargetOption = "v6e",
    release: ReleaseOption = None,
    tier: Annotated[str | None, typer.Option(help="Only this tier: production, kernelbench or user.")] = None,
    family: Annotated[str | None, typer.Option(help="Only this family, such as attention.")] = None,
    model: Annotated[str | None, typer.Option(help="Only shapes of models whose name contains this.")] = None,
    bound: Annotated[str | None, typer.Option(help="Only those bound by compute or by hbm on the target.")] = None,
    sort: Annotated[str | None, typer.Option(help=f"Sort by {', '.join(ORDERS)}; as registered by default.")] = None,
    reverse: Annotated[bool, typer.Option("--reverse", help="The other way round.")] = False,
    as_json: JsonOption = False,
) -> None:
    """List the workloads with their work, its intensity (FLOP/byte), their bound, and published times of XLA.

    Useful FLOPs and bytes are those that no kernel can do without: the bound and the intensity are made of them.
    """
    with usage_errors():
        chip = get_target(target)
        summaries = [WorkloadSummary.of(workload, bound_for(workload, chip)) for workload in workloads_of(release)]
    try:
        summaries = select(summaries, tier=tier, family=family, model=model, bound=bound)
        summaries = ordered(summaries, sort, reverse=reverse)
    except SelectionError as error:
        usage_error(str(error))
    if as_json:
        print_json(ListDocument(target=chip.name, release=release, workloads=tuple(summaries)))
        return
    of_release = "" if release is None else f" of release {release}"
    noun = "workload" if len(summaries) == 1 else "workloads"
    print_unfolded(_table(f"{len(summaries)} {noun}{of_release}; bounds on {chip.name}", summaries))
    if not all(_compares(summary) for summary in summaries):
        say(f"{_OTHER} another computation or version was timed: `jaxbench show ID` says how it differs")


def _table(title: str, summaries: Sequence[WorkloadSummary]) -> Table:
    table = plain_table(title)
    table.add_column("\nworkload", overflow="fold")
    table.add_column("\nfamily")
    targets = dict.fromkeys(one.published.target for one in summaries if one.published is not None)
    published = f"XLA on\n{', '.join(targets)}" if targets else "\nXLA"
    for column in ("\nFLOPs", "useful\nFLOPs", "useful\nbytes", "FLOP/\nbyte", "\nbound", published):
        table.add_column(column, justify="right", no_wrap=True)
    for summary in summaries:
        work = summary.bound
        table.add_row(
            f"{summary.id} (shortcut)" if summary.shortcut else summary.id,
            summary.family,
            with_prefix(work.nominal_flops, ""),
            with_prefix(work.flops, ""),
            in_bytes(work.hbm_bytes),
            three_digits(summary.intensity),
            f"{in_time(work.time_ns)} {work.binds}",
            _published(summary),
        )
    return table


def _published(summary: WorkloadSummary) -> str:
    if summary.published is None:
        return "-"
    return f"{in_time(summary.published.xla.time_ns)}{' ' if _compares(summary) else _OTHER}"


def _compares(summary: WorkloadSummary) -> bool:
    times = summary.published
    return times is None or times.comparable(times.xla, summary.version)
