"""`jaxbench show ID`: all there is to know of one workload."""

import sys
from typing import Annotated

import typer
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from jaxbench_harness.cli.options import ReleaseOption
from jaxbench_harness.cli.report import plain_table
from jaxbench_harness.cli.terminal import JsonOption, out, print_json, say, usage_errors
from jaxbench_harness.cli.units import in_bytes, in_percent, in_time, three_digits, with_prefix
from jaxbench_harness.cli.workload_documents import ShowDocument, ShownAudit
from jaxbench_harness.registry import find_workload
from jaxbench_harness.targets import get_target


def show_workload(
    workload_id: Annotated[str, typer.Argument(metavar="ID", help="Workload id, such as 8p_GEMM.")],
    release: ReleaseOption = None,
    source: Annotated[bool, typer.Option("--source", help="Print the source of the reference and no more.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show a workload: contract, sizes, work, bounds, published times, releases and audit."""
    with usage_errors():
        document = ShowDocument.of(find_workload(workload_id, release), release)
    if as_json:
        print_json(document)
    elif source:
        _print_source(document)
    else:
        _print(document)


def _print_source(document: ShowDocument) -> None:
    if sys.stdout.isatty():
        out.print(Syntax(document.source, "python", background_color="default"))
    else:
        typer.echo(document.source, nl=False)


def _print(document: ShowDocument) -> None:
    out.print(Text.assemble((document.id, "bold"), f" version {document.version}: {document.title}"))
    model = f", shapes of {document.model}" if document.model else ""
    say(f"{document.tier}, {document.family}{model}")
    out.print(f"\n{document.semantics}\n", markup=False, highlight=False)
    out.print(_arguments(document))
    out.print(_dims(document))
    out.print(_work(document))
    if document.shortcut:
        out.print(f"shortcut: {document.shortcut}\n", markup=False, highlight=False)
    out.print(_bounds(document))
    if document.published:
        out.print(_published(document))
        out.print(f"from {document.published_source}\n", markup=False, highlight=False)
    _print_audit(document.audit)
    facts = {
        "tolerance": document.tolerance,
        "input distributions": ", ".join(document.distributions),
        "releases": ", ".join(f"{one.name} ({one.status})" for one in document.releases) or "none has this digest",
        "baselines": ", ".join(document.baselines),
        "reference": f"{document.reference}; --source prints it",
        "digest": document.digest,
    }
    for name, fact in facts.items():
        out.print(f"{name}: {fact}", markup=False, highlight=False)
    if document.release is not None:
        out.print(f"taken from release: {document.release}", markup=False, highlight=False)


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


def _dims(document: ShowDocument) -> Table:
    table = plain_table("dims and constants")
    table.add_column("")
    for name in document.sizes:
        table.add_column(name, justify="right")
    for dim in dict.fromkeys(dim for size in document.sizes.values() for dim in size.dims):
        table.add_row(dim, *(str(size.dims.get(dim, "")) for size in document.sizes.values()))
    return table


def _work(document: ShowDocument) -> Table:
    work = next(iter(document.bounds.values()))
    table = plain_table("work at full size")
    table.add_column("")
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("formula", overflow="fold")
    for name, count, formula in (
        ("FLOPs", with_prefix(work.nominal_flops, ""), document.flops_formula),
        ("useful FLOPs", with_prefix(work.flops, ""), document.useful_flops_formula or "all"),
        ("bytes", in_bytes(work.nominal_bytes), "every input read once, the output written once"),
        ("useful bytes", in_bytes(work.hbm_bytes), document.useful_bytes_formula or "all"),
        ("intensity", three_digits(document.intensity), "useful FLOPs / useful bytes"),
    ):
        table.add_row(name, count, Text(formula))
    return table


def _bounds(document: ShowDocument) -> Table:
    table = plain_table("bounds at full size: no kernel is faster than the larger")
    table.add_column("target")
    for heading in ("compute", "HBM", "ridge FLOP/byte"):
        table.add_column(heading, justify="right")
    table.add_column("binds")
    for name, bound in document.bounds.items():
        ridge = three_digits(get_target(name).ridge_flops_per_byte)
        table.add_row(name, in_time(bound.compute_ns), in_time(bound.hbm_ns), ridge, bound.binds)
    return table


def _published(document: ShowDocument) -> Table:
    table = plain_table("published times")
    table.add_column("")
    table.add_column("target")
    table.add_column("time", justify="right")
    table.add_column("bound / time", justify="right")
    table.add_column("what was timed otherwise", overflow="fold")
    for one in document.published:
        fraction = "-" if one.bound_fraction is None else in_percent(one.bound_fraction)
        table.add_row(one.implementation, one.target, in_time(one.time_ns), fraction, Text(one.note))
    return table


def _print_audit(audit: ShownAudit | None) -> None:
    if audit is None:
        say("audit: none recorded")
        return
    for line in audit_lines(audit):
        out.print(line, markup=False, highlight=False)


def audit_lines(audit: ShownAudit) -> list[str]:
    """Returns an audit in lines: what became of wrong answers, how near honest ones came, what is let pass."""
    found = audit.summary
    if found is None:
        return [f"audit in release {audit.release}: stale, of another state of the workload; audit it anew"]
    verdict = "clean" if found.clean else "NOT CLEAN"
    seeds = "1 seed" if found.seeds == 1 else f"{found.seeds} seeds"
    counts = f"{found.rejected} rejected, {found.equivalent} equivalent, {found.below_noise} below noise"
    return [
        f"audit in release {audit.release}, size {found.size}, {seeds}: {verdict}",
        f"  wrong answers: {counts}, {len(found.labelled)} labelled, {found.accepted} accepted",
        f"  honest answers use at most {found.honest_share:.2f} of a limit",
        f"  noise of the native reference: {found.noise_low:.2g} to {found.noise_high:.2g}",
        *(f"  let pass: {label}" for label in found.labelled),
    ]
