"""`jaxbench list`: the workloads there are."""

from jaxbench_harness.bounds import bound_for
from jaxbench_harness.cli.documents import ListDocument, WorkloadSummary
from jaxbench_harness.cli.options import ReleaseOption
from jaxbench_harness.cli.report import plain_table
from jaxbench_harness.cli.terminal import JsonOption, TargetOption, out, print_json, usage_errors
from jaxbench_harness.cli.units import in_bytes, in_time, with_prefix
from jaxbench_harness.registry import workloads_of
from jaxbench_harness.targets import get_target


def list_workloads(target: TargetOption = "v6e", release: ReleaseOption = None, as_json: JsonOption = False) -> None:
    """List the workloads with their nominal and useful FLOPs, useful bytes, and the bound of the useful ones."""
    with usage_errors():
        chip = get_target(target)
        workloads = workloads_of(release)
    summaries = tuple(WorkloadSummary.of(workload, bound_for(workload, chip)) for workload in workloads)
    if as_json:
        print_json(ListDocument(target=chip.name, release=release, workloads=summaries))
        return
    of_release = "" if release is None else f" of release {release}"
    table = plain_table(f"{len(summaries)} workloads{of_release}; bounds on {chip.name}")
    table.add_column("\nworkload", overflow="fold")
    table.add_column("\nfamily")
    for column in ("\nFLOPs", "useful\nFLOPs", "useful\nbytes", "\nbound"):
        table.add_column(column, justify="right", no_wrap=True)
    for summary in summaries:
        bound = summary.bound
        table.add_row(
            f"{summary.id} (shortcut)" if summary.shortcut else summary.id,
            summary.family,
            with_prefix(bound.nominal_flops, ""),
            with_prefix(bound.flops, ""),
            in_bytes(bound.hbm_bytes),
            f"{in_time(bound.time_ns)} {bound.binds}",
        )
    out.print(table)
