"""Shows records to a person."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.table import Table
from rich.text import Text

from jaxbench_harness.cli.program_lines import program_lines
from jaxbench_harness.cli.progress import outcome
from jaxbench_harness.cli.terminal import out
from jaxbench_harness.cli.units import in_bytes, in_percent, in_time, with_prefix
from jaxbench_harness.records import (
    CheckReport,
    Compiled,
    CompileReport,
    DrawReport,
    Failed,
    Predicted,
    ProgramReport,
    Record,
    Verdict,
)

_LOG_LINES = 40


def print_verdict(verdict: Verdict) -> None:
    """Prints the outcome, the reason on one line, and the end of the log."""
    if not isinstance(verdict, Failed):
        out.print("passed", style="bold green")
        return
    headline = Text.assemble((f"failed at {verdict.stage}", "bold red"), f" ({verdict.code}): {verdict.reason}")
    out.print(headline, soft_wrap=True)
    lines = verdict.log.strip().splitlines()
    if len(lines) > _LOG_LINES:
        out.print(f"  [... {len(lines) - _LOG_LINES} lines; the record has them all ...]", markup=False)
    for line in lines[-_LOG_LINES:]:
        out.print(f"  {line}", markup=False, highlight=False, soft_wrap=True)


def print_program(program: ProgramReport | None) -> None:
    """Prints what the guard read in the full-size Program."""
    for line in program_lines(program) if program is not None else ():
        out.print(line, markup=False, highlight=False, soft_wrap=True)


def print_compile(report: CompileReport | None) -> None:
    """Prints what the compiler reported."""
    if not isinstance(report, Compiled):
        return
    facts = [f"compiled in {report.compile_s:.1f} s", f"{in_bytes(report.hbm_bytes)} of HBM"]
    if report.flops is not None:
        facts.append(f"XLA counts {with_prefix(report.flops, 'FLOP')}")
    out.print("; ".join(facts), highlight=False)
    for kernel in report.kernels:
        vmem = "unknown" if kernel.vmem_bytes is None else in_bytes(kernel.vmem_bytes)
        out.print(f"  kernel {kernel.name}: {vmem} of VMEM", markup=False, highlight=False)


def print_check(report: CheckReport | None) -> None:
    """Prints the metrics of every draw: value and limit."""
    if report is None or not report.draws:
        return
    note = f" ({report.verifier_note})" if report.verifier_note else ""
    out.print(f"checked by {report.verifier}{note}", markup=False, highlight=False, soft_wrap=True)
    if not any(draw.metrics for draw in report.draws):
        return
    table = plain_table("error metrics: value / limit")
    table.add_column("")
    for draw in report.draws:
        table.add_column(f"{draw.distribution}\nseed {draw.seed}", justify="right")
    for name in dict.fromkeys(metric.name for draw in report.draws for metric in draw.metrics):
        table.add_row(name, *(_metric(draw, name) for draw in report.draws))
    out.print(table)
    _print_further(report)


def _print_further(report: CheckReport) -> None:
    """Prints what the checks found that are made when asked."""
    for name, further in (("races", report.races), ("odd size", report.odd)):
        if further is not None:
            outcome_text = further.outcome.replace("_", " ")
            reason = f": {further.reason}" if further.reason else ""
            style = "yellow" if further.outcome in {"failed", "found"} else ""
            out.print(f"{name}: {outcome_text}{reason}", style=style, markup=False, highlight=False, soft_wrap=True)


def plain_table(title: str) -> Table:
    """Returns an empty table in the style of every table of the command line."""
    return Table(title=title, title_justify="left", title_style="", box=box.SIMPLE, pad_edge=False)


def _metric(draw: DrawReport, name: str) -> Text:
    metric = next((metric for metric in draw.metrics if metric.name == name), None)
    if metric is None:
        return Text("-")
    return Text(f"{metric.value:.2g} / {metric.limit:.2g}", style="" if metric.passed else "red")


def print_record(record: Record) -> None:
    """Prints one record."""
    out.print(f"{record.candidate.name} on {record.workload.id} for {record.config.target}: ", end="", markup=False)
    print_verdict(record.verdict)
    print_program(record.program)
    print_compile(record.compile)
    print_check(record.check)
    print_timing(record)
    for flag in record.flags:
        out.print(f"flag {flag.code}: {flag.detail}", style="yellow", markup=False)
    if reused := _reused(record):
        out.print(f"from the cache: {', '.join(reused)}", highlight=False)
    if record.sandbox is not None and record.sandbox.gaps:
        gaps = "; ".join(record.sandbox.gaps)
        out.print(f"sandbox: {gaps} ({record.sandbox.reason})", style="yellow", markup=False, highlight=False)
    bound = record.bound
    out.print(f"bound {in_time(bound.time_ns)} ({bound.binds})", highlight=False)


def print_timing(record: Record) -> None:
    """Prints the predicted time and what it is made of, or why there is none."""
    if record.untimed is not None:
        out.print(f"not timed: {record.untimed}", style="yellow", markup=False, soft_wrap=True)
    if not isinstance(record.timing, Predicted):
        return
    timing = record.timing
    out.print(f"predicted {_with_interval(timing)}, not measured ({timing.model})", highlight=False, soft_wrap=True)
    if (breakdown := timing.breakdown) is None:
        return
    share = breakdown.waiting_ns / timing.time_ns
    limit = breakdown.bottleneck.replace("_", " ")
    out.print(f"  limited by {limit}; waits for transfers {in_percent(share)} of the time", highlight=False)
    for wait in breakdown.waits[:3]:
        where = f", window ({', '.join(map(str, wait.window))})" if wait.window else ""
        line = f"  {in_time(wait.time_ns)} waiting for {wait.operand}{where}"
        out.print(line, markup=False, highlight=False, soft_wrap=True)


def _with_interval(timing: Predicted) -> str:
    if timing.low_ns is None or timing.high_ns is None:
        return f"{in_time(timing.time_ns)} (uncalibrated)"
    return f"{in_time(timing.time_ns)} (80 % within {in_time(timing.low_ns)} to {in_time(timing.high_ns)})"


def _reused(record: Record) -> list[str]:
    """Returns the stages whose result came from the cache."""
    return [time.stage.value for time in record.stages if time.cached == "result"]


def print_records(records: Sequence[Record], path: Path) -> None:
    """Prints a table of records, one per line."""
    target = ", ".join(dict.fromkeys(record.config.target for record in records))
    roles = ", ".join(dict.fromkeys(record.candidate.role for record in records))
    table = plain_table(f"{roles} baselines, cross-compiled for {target} and checked on the CPU; times are predicted")
    table.add_column("workload", overflow="fold")
    table.add_column("verdict")
    for name in ("FLOPs", "bytes", "bound", "predicted", "of bound", "HBM used", "compile"):
        table.add_column(name, justify="right", no_wrap=True)
    for record in records:
        compiled = record.compile if isinstance(record.compile, Compiled) else None
        style = "red" if isinstance(record.verdict, Failed) else "green"
        table.add_row(
            record.workload.id,
            Text(outcome(record.verdict), style=style),
            with_prefix(record.bound.nominal_flops, ""),
            in_bytes(record.bound.nominal_bytes),
            f"{in_time(record.bound.time_ns)} {record.bound.binds}",
            in_time(record.timing.time_ns) if isinstance(record.timing, Predicted) else "-",
            in_percent(record.bound.time_ns / record.timing.time_ns) if isinstance(record.timing, Predicted) else "-",
            in_bytes(compiled.hbm_bytes) if compiled else "-",
            f"{compiled.compile_s:.1f} s" if compiled else "-",
        )
    out.print(table)
    for record in records:
        if isinstance(record.verdict, Failed):
            out.print(f"{record.workload.id}: {record.verdict.reason}", style="red", markup=False, soft_wrap=True)
        if record.untimed is not None:
            reason = f"{record.workload.id}: not timed: {record.untimed}"
            out.print(reason, style="yellow", markup=False, soft_wrap=True)
        for flag in record.flags:
            out.print(f"{record.workload.id}: flag {flag.code}: {flag.detail}", style="yellow", markup=False)
    counts = Counter(stage for record in records for stage in _reused(record))
    if counts:
        reused = ", ".join(f"{stage} of {count}" for stage, count in counts.items())
        out.print(f"from the cache: {reused}; compile seconds are those of the original", highlight=False)
    count = "1 record" if len(records) == 1 else f"{len(records)} records"
    out.print(f"{count} appended to {path}", markup=False, highlight=False, soft_wrap=True)
