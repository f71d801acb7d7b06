"""A prediction as text for a terminal."""

from collections.abc import Iterator

from jaxbench_predictor.outcome import Prediction, Unavailable
from jaxbench_predictor.report.model import Bottleneck, Report
from jaxbench_predictor.text.columns import byte_count, duration, share, table

_SHOWN = 8
"""Most rows of a table; the report itself may hold more."""


def render(outcome: Prediction | Unavailable) -> str:
    """Returns what an author wants to read: the time and what limits it, then where it goes."""
    if isinstance(outcome, Unavailable):
        lines = [f"no prediction for {outcome.target} ({outcome.stage}): {outcome.reason}"]
        return "\n".join([*lines, *_section("compiler", outcome.log.splitlines())])
    return "\n".join(_lines(outcome))


def reason(prediction: Prediction) -> str:
    """Returns in one sentence what limits a program, and why it is said to."""
    report, time = prediction.report, prediction.time_ns
    waiting = share(report.waiting_ns, time)
    busy = share(report.hbm_busy_ns, time)
    match report.bottleneck:
        case Bottleneck.HBM:
            return f"limited by HBM bandwidth: HBM moves data {busy} of the time"
        case Bottleneck.DMA_LATENCY:
            return (
                f"limited by DMA latency: the core waits for transfers {waiting} of the time, while HBM moves data "
                f"only {busy} of it; more transfers under way, or larger ones, would help"
            )
        case Bottleneck.SCHEDULE:
            return f"limited by the schedule: executing bundles takes {share(report.executing_ns, time)}"


def _lines(prediction: Prediction) -> Iterator[str]:
    yield _headline(prediction)
    yield reason(prediction)
    report = prediction.report
    yield from _section("where the time goes", _parts(prediction))
    yield from _section("per HLO instruction", _hlo(report, prediction.time_ns))
    yield from _section("loops", _loops(report))
    yield from _section("slots used", _units(report))
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
    rows = [(hlo.name, str(hlo.calls), duration(hlo.time_ns), share(hlo.time_ns, time_ns)) for hlo in report.hlo]
    return _cut(table(("name", "calls", "time", "share"), rows), len(rows))


def _loops(report: Report) -> list[str]:
    rows = [
        (
            loop.program,
            f"{loop.first_bundle:#x}",
            str(loop.iterations),
            f"{loop.bundles_per_iteration:.1f}",
            share(loop.bundle_share, 1),
        )
        for loop in report.loops
    ]
    return _cut(table(("program", "at", "trips", "bundles per trip", "share"), rows), len(rows))


def _units(report: Report) -> list[str]:
    return table(("unit", "share"), [(unit.unit, share(unit.share, 1)) for unit in report.units])


def _waits(report: Report, time_ns: float) -> list[str]:
    rows = [
        (
            wait.operand,
            f"{wait.source} to {wait.destination}",
            wait.program,
            str(wait.stalls),
            duration(wait.time_ns),
            share(wait.time_ns, time_ns),
        )
        for wait in report.waits
    ]
    return _cut(table(("for", "transfer", "in", "stalls", "time", "share"), rows), len(rows))


def _traffic(report: Report, time_ns: float) -> list[str]:
    rows = [
        (
            f"{entry.source} to {entry.destination}",
            str(entry.transfers),
            byte_count(entry.nbytes),
            f"{entry.nbytes / time_ns:.1f} GB/s",
        )
        for entry in report.traffic
    ]
    return table(("direction", "transfers", "bytes", "rate"), rows)


def _cut(lines: list[str], count: int) -> list[str]:
    return lines if count <= _SHOWN else [*lines[: _SHOWN + 1], f"and {count - _SHOWN} more"]
