"""`jaxbench list`: the workloads there are."""

from rich.table import Table

from jaxbench_harness.bounds import bound_for
from jaxbench_harness.cli.documents import ListDocument, WorkloadSummary
from jaxbench_harness.cli.terminal import JsonOption, TargetOption, out, print_json, usage_errors
from jaxbench_harness.cli.units import in_bytes, in_time, with_prefix
from jaxbench_harness.registry import all_workloads
from jaxbench_harness.targets import get_target


def list_workloads(target: TargetOption = "v6e", as_json: JsonOption = False) -> None:
    """List the workloads with their FLOPs, bytes and bound on a target."""
    with usage_errors():
        chip = get_target(target)
        workloads = list(all_workloads().values())
    summaries = tuple(WorkloadSummary.of(workload, bound_for(workload, chip)) for workload in workloads)
    if as_json:
        print_json(ListDocument(target=chip.name, workloads=summaries))
        return
    table = Table(title=f"{len(summaries)} workloads; bounds on {chip.name}", title_justify="left")
    for column in ("id", "family", "model"):
        table.add_column(column, no_wrap=column == "id")
    for column in ("FLOPs", "bytes", "bound"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("binds")
    for summary in summaries:
        bound = summary.bound
        table.add_row(
            summary.id,
            summary.family,
            summary.model or "-",
            with_prefix(bound.flops, "FLOP"),
            in_bytes(bound.hbm_bytes),
            in_time(bound.time_ns),
            bound.binds,
        )
    out.print(table)
