"""A prediction as text for a terminal."""

from collections.abc import Iterator, Sequence

from jaxbench_predictor.memory import Space
from jaxbench_predictor.outcome import Prediction, Unavailable
from jaxbench_predictor.report.model import Bottleneck, Report, Traffic, UnitUse
from jaxbench_predictor.text.columns import byte_count, duration, share, table

_SHOWN = 8
"""Most rows of a table; the report itself may hold more."""


_UNITS = {
    Bottleneck.MXU: ("the matrix units", ("MXU",)),
    Bottleneck.VPU: ("the vector ALUs", ("VALU",)),
    Bottleneck.EUP: ("the unit for transcendental functions", ("EUP",)),
    Bottleneck.XLU: ("the units that move data across lanes", ("XLU",)),
    Bottleneck.LOAD_STORE: ("loads from VMEM and stores to it", ("VLOAD", "VSTORE")),
    Bottleneck.SPILL: ("loads and stores of values that had no register left", ("VLOAD", "VSTORE")),
    Bottleneck.SCALAR: ("the scalar unit", ("SALU",)),
}
"""What a label stands for, and the compiler's names of the issue slots that it is about."""


def render(outcome: Prediction | Unavailable) -> str:
    """Returns what an author wants to read: the time and what limits it, then where it goes."""
    if isinstance(outcome, Unavailable):
        lines = [f"no prediction for {outcome.target} ({outcome.stage}): {outcome.reason}"]
        return "\n".join([*lines, *_section("compiler", outcome.log.splitlines())])
    return "\n".join(_lines(outcome))


def reason(prediction: Prediction) -> str:
    """Returns in one sentence what limits a program, and why it is said to."""
    report, time = prediction.report, prediction.time_ns
    waiting, busy = share(report.waiting_ns, time), share(report.hbm_busy_ns, time)
    match report.bottleneck:
        case Bottleneck.HBM:
            return f"limited by HBM bandwidth: HBM moves data {busy} of the time"
        case Bottleneck.DMA_LATENCY:
            return (
                f"limited by DMA latency: the core waits for transfers {waiting} of the time, while HBM moves data "
                f"only {busy} of it; more transfers under way, or larger ones, would help"
            )
        case Bottleneck.SCHEDULE:
            return (
                f"limited by the schedule: bundles execute {share(report.executing_ns, time)} of the time, but no unit "
                "is busy in them; they wait for results of operations before them"
            )
        case unit:
            what, slots = _UNITS[unit]
            busiest = max((use.share for use in report.units if use.unit in slots), default=0.0)
            return (
                f"limited by {what}: {share(busiest * report.executed_cycles, time * report.clock_hz / 1e9)} of the "
                f"slots are used over the whole time; the core waits for transfers {waiting} of it"
            )


def _lines(prediction: Prediction) -> Iterator[str]:
    yield _headline(prediction)
    yield reason(prediction)
    report = prediction.report
    yield from _section("where the time goes", _parts(prediction))
    yield from _section("at least", _bounds(prediction))
    yield from _section("per HLO instruction", _hlo(report, prediction.time_ns))
    yield from _section("per program, with the share of issue slots used", _programs(report))
    yield from _section("loops, with the share of issue slots used", _loops(report))
    yield from _section("waits", _waits(report, prediction.time_ns))
    yield from _section("bytes moved", _traffic(report, prediction.time_ns))
    yield from _section("assumed", [f"- {assumption}" for assumption in report.assumptions])


def _headline(prediction: Prediction) -> str:
    interval = "uncalibrated: no interval"
    if prediction.low_ns is not None and prediction.high_ns is not None:
        interval = f"80%: {duration(prediction.low_ns)} to {duration(prediction.high_ns)}"
    compiler = f", libtpu {prediction.libtpu_version}" if prediction.libtpu_version else ""
    made_by = f"model {prediction.machine_version}{compiler}"
    return f"predicted {duration(prediction.time_ns)} on {prediction.target} ({interval}; {made_by})"


def _section(title: str, lines: list[str]) -> Iterator[str]:
    if lines:
        yield ""
        yield title
        yield from (f"  {line}" for line in lines)


def _parts(prediction: Prediction) -> list[str]:
    report, time = prediction.report, prediction.time_ns
    slowed = report.slowed_cycles / report.clock_hz * 1e9
    parts = {
        "executing bundles": report.executing_ns - slowed,
        "slowed by matrix work": slowed,
        "waiting for transfers": report.waiting_ns,
        "HBM moves data meanwhile": report.hbm_busy_ns,
    }
    return table(("", "time", "share"), [(name, duration(ns), share(ns, time)) for name, ns in parts.items() if ns])


def _hlo(report: Report, time_ns: float) -> list[str]:
    rows = [
        (
            hlo.name,
            str(hlo.calls),
            duration(hlo.time_ns),
            share(hlo.time_ns, time_ns),
            byte_count(hlo.vmem_bytes) if hlo.vmem_bytes is not None else "",
        )
        for hlo in report.hlo
    ]
    lines = _cut(table(("name", "calls", "time", "share", "VMEM"), rows), len(rows))
    peak = report.vmem_high_water_bytes
    return lines if peak is None else [*lines, f"high-water mark of VMEM: {byte_count(peak)}"]


def _bounds(prediction: Prediction) -> list[str]:
    bounds, time = prediction.report.bounds, prediction.time_ns
    named = {
        "for the matrix products": bounds.compute_ns,
        "for the bytes moved": bounds.hbm_ns,
        "for the bundles": bounds.schedule_ns,
    }
    return table(("", "time", "share"), [(name, duration(ns), share(ns, time)) for name, ns in named.items() if ns])


def _programs(report: Report) -> list[str]:
    units = [use.unit for use in report.units]
    rows = [
        (
            program.program,
            duration(program.executing_ns),
            duration(program.waiting_ns),
            *_shares(units, program.units),
            str(program.spills or ""),
            str(program.fills or ""),
        )
        for program in report.programs
        if not program.program.startswith("<")
    ]
    return _cut(table(("program", "executing", "waiting", *units, "spills", "fills"), rows), len(rows))


def _loops(report: Report) -> list[str]:
    units = [use.unit for use in report.units]
    rows = [
        (
            loop.program,
            f"{loop.first_bundle:#x}",
            str(loop.iterations),
            f"{loop.bundles_per_iteration:.1f}",
            share(loop.bundle_share, 1),
            duration(loop.waiting_ns) if loop.waiting_ns else "",
            *_shares(units, loop.units),
        )
        for loop in report.loops
    ]
    head = ("program", "at", "trips", "bundles per trip", "share", "waiting", *units)
    return _cut(table(head, rows), len(rows))


def _shares(units: Sequence[str], used: Sequence[UnitUse]) -> list[str]:
    shares = {use.unit: use.share for use in used}
    return [share(shares[unit], 1) if shares.get(unit) else "" for unit in units]


def _waits(report: Report, time_ns: float) -> list[str]:
    rows = [
        (
            wait.operand,
            str(wait.window_shape or ""),
            f"{wait.source} to {wait.destination}",
            wait.program,
            str(wait.stalls),
            duration(wait.time_ns),
            share(wait.time_ns, time_ns),
        )
        for wait in report.waits
    ]
    return _cut(table(("for", "window", "transfer", "in", "stalls", "time", "share"), rows), len(rows))


def _traffic(report: Report, time_ns: float) -> list[str]:
    moved = sum(entry.nbytes * _ends(entry).count(Space.HBM) for entry in report.traffic)
    rows = [
        (
            f"{entry.source} to {entry.destination}",
            str(entry.transfers),
            byte_count(entry.nbytes),
            f"{entry.nbytes / time_ns:.1f} GB/s",
            share(report.bounds.hbm_ns * entry.nbytes / moved, time_ns) if Space.HBM in _ends(entry) else "",
        )
        for entry in report.traffic
    ]
    return table(("direction", "transfers", "bytes", "rate", "share of the peak of HBM"), rows)


def _ends(entry: Traffic) -> tuple[Space, Space]:
    return entry.source, entry.destination


def _cut(lines: list[str], count: int) -> list[str]:
    return lines if count <= _SHOWN else [*lines[: _SHOWN + 1], f"and {count - _SHOWN} more"]
