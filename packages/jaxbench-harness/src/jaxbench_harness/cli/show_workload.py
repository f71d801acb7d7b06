"""`jaxbench show ID`: the contract of one workload."""

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from jaxbench_harness.cli.documents import ShowDocument
from jaxbench_harness.cli.options import ReleaseOption
from jaxbench_harness.cli.report import plain_table
from jaxbench_harness.cli.terminal import JsonOption, TargetOption, out, print_json, usage_errors
from jaxbench_harness.cli.units import in_bytes, in_time, with_prefix
from jaxbench_harness.registry import find_workload
from jaxbench_harness.targets import get_target


def show_workload(
    workload_id: Annotated[str, typer.Argument(metavar="ID", help="Workload id, such as 8p_GEMM.")],
    target: TargetOption = "v6e",
    release: ReleaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what a workload computes: inputs, sizes, FLOPs, bytes, bound and tolerance."""
    with usage_errors():
        chip = get_target(target)
        document = ShowDocument.of(find_workload(workload_id, release), chip, release)
    if as_json:
        print_json(document)
        return
    out.print(Text.assemble((document.id, "bold"), f" version {document.version}: {document.title}"))
    out.print(f"\n{document.semantics}\n", markup=False, highlight=False)
    out.print(_arguments(document))
    out.print(_work(document))
    if document.shortcut:
        out.print(f"shortcut: {document.shortcut}", markup=False, highlight=False)
    bound = document.bound
    out.print(
        f"bound on {chip.name}: compute {in_time(bound.compute_ns)}, HBM {in_time(bound.hbm_ns)}: {bound.binds} binds "
        f"({bound.flops / bound.hbm_bytes:.0f} FLOP/byte, ridge {chip.ridge_flops_per_byte:.0f})",
        highlight=False,
    )
    out.print(f"tolerance: {document.tolerance}", highlight=False)
    out.print(f"input distributions: {', '.join(document.distributions)}", highlight=False)
    out.print(f"digest: {document.digest}", highlight=False)
    if release is not None:
        out.print(f"release: {release}", markup=False, highlight=False)


def _work(document: ShowDocument) -> Table:
    bound = document.bound
    table = plain_table("work at full size")
    table.add_column("")
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("formula", overflow="fold")
    for name, count, formula in (
        ("FLOPs", with_prefix(bound.nominal_flops, ""), document.flops_formula),
        ("useful FLOPs", with_prefix(bound.flops, ""), document.useful_flops_formula or "all"),
        ("bytes", in_bytes(bound.nominal_bytes), "every input read once, the output written once"),
        ("useful bytes", in_bytes(bound.hbm_bytes), document.useful_bytes_formula or "all"),
    ):
        table.add_row(name, count, Text(formula))
    return table


def _arguments(document: ShowDocument) -> Table:
    table = plain_table("arguments in call order")
    for heading in ("", *document.sizes, "meaning"):
        table.add_column(heading)
    for position, argument in enumerate(document.arguments):
        at_sizes = [size.arguments[position] for size in document.sizes.values()]
        table.add_row(argument.name, *map(Text, at_sizes), Text(argument.meaning))
    table.add_section()
    table.add_row("returns", *(Text(size.output) for size in document.sizes.values()), "")
    return table
