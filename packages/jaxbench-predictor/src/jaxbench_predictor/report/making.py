"""Makes a report of an execution."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from jaxbench_predictor.execution.core import Execution
from jaxbench_predictor.execution.events import DmaSite
from jaxbench_predictor.execution.lowering import LoweredProgram
from jaxbench_predictor.listing.naming import TOP_LEVEL
from jaxbench_predictor.listing.schedule import Schedule
from jaxbench_predictor.machines import Machine
from jaxbench_predictor.memory import Space
from jaxbench_predictor.report.model import Bottleneck, HloTime, HotLoop, Report, Traffic, UnitUse, WaitTime

_LIMIT = 20
"""Most entries of a list."""

_BUSY = 0.8
"""Share of the time in which HBM moves data above which it is the limit."""

_MOSTLY_WAITING = 0.25
"""Share of the time spent waiting above which the schedule is not the limit."""


class _Window(NamedTuple):
    program: str
    operand: str
    window: str
    source: Space
    destination: Space


@dataclass(slots=True)
class _Lost:
    cycles: float = 0.0
    stalls: int = 0


def make_report(execution: Execution, schedule: Schedule, machine: Machine) -> Report:
    """Returns where the time of an execution goes."""
    ns_per_cycle = 1e9 / machine.clock_hz.value
    log = execution.log
    return Report(
        bottleneck=_bottleneck(execution),
        clock_hz=machine.clock_hz.value,
        executed_cycles=log.bundles,
        slowed_cycles=log.slowed_cycles,
        waiting_cycles=log.stalled_cycles,
        hbm_busy_ns=execution.hbm_busy_cycles * ns_per_cycle,
        hlo=_hlo(execution, ns_per_cycle),
        waits=_waits(execution, ns_per_cycle),
        traffic=_traffic(log.dmas),
        loops=tuple(sorted(_loops(execution), key=lambda loop: -loop.bundle_share)[:_LIMIT]),
        units=_units(execution, schedule),
        assumptions=execution.assumptions,
    )


def _bottleneck(execution: Execution) -> Bottleneck:
    if execution.hbm_busy_cycles >= _BUSY * execution.cycles:
        return Bottleneck.HBM
    waiting = execution.log.stalled_cycles >= _MOSTLY_WAITING * execution.cycles
    return Bottleneck.DMA_LATENCY if waiting else Bottleneck.SCHEDULE


def _hlo(execution: Execution, ns_per_cycle: float) -> tuple[HloTime, ...]:
    calls: dict[str, tuple[int, float]] = defaultdict(lambda: (0, 0.0))
    for site in execution.log.calls:
        if site.caller == TOP_LEVEL and site.calls and not site.name.startswith("<"):
            count, cycles = calls[site.name]
            calls[site.name] = count + site.calls, cycles + site.cycles
    times = [HloTime(name=name, calls=count, time_ns=cycles * ns_per_cycle) for name, (count, cycles) in calls.items()]
    return tuple(sorted(times, key=lambda hlo: -hlo.time_ns))


def _waits(execution: Execution, ns_per_cycle: float) -> tuple[WaitTime, ...]:
    """Returns the waits, those for the same window together: a pipeline begins with copies of their own."""
    found: dict[_Window, _Lost] = {}
    for wait in execution.log.waits:
        windows: set[_Window] = set()
        for number, cycles in wait.stalled_by.items():
            dma = execution.log.dmas[number]
            window = _Window(wait.program, dma.operand, " ".join(dma.window.split()), dma.source, dma.destination)
            lost = found.setdefault(window, _Lost())
            lost.cycles += cycles
            lost.stalls += wait.stalls if window not in windows else 0
            windows.add(window)
    times = [
        WaitTime(**window._asdict(), stalls=lost.stalls, time_ns=lost.cycles * ns_per_cycle)
        for window, lost in found.items()
    ]
    return tuple(sorted(times, key=lambda wait: -wait.time_ns)[:_LIMIT])


def _traffic(dmas: Iterable[DmaSite]) -> tuple[Traffic, ...]:
    moved: dict[tuple[Space, Space], tuple[int, int]] = defaultdict(lambda: (0, 0))
    for dma in dmas:
        if dma.transfers:
            transfers, nbytes = moved[dma.source, dma.destination]
            moved[dma.source, dma.destination] = transfers + dma.transfers, nbytes + dma.nbytes
    return tuple(
        Traffic(source=source, destination=destination, transfers=transfers, nbytes=nbytes)
        for (source, destination), (transfers, nbytes) in sorted(moved.items())
    )


def executions_of_bundles(program: LoweredProgram) -> list[int]:
    """Returns how often each bundle of a program was executed."""
    changes = [0] * (len(program.listing.bundles) + 1)
    for block in program.blocks.values():
        changes[block.start] += block.executed
        changes[block.start + block.length] -= block.executed
    counts: list[int] = []
    running = 0
    for change in changes[:-1]:
        running += change
        counts.append(running)
    return counts


def _loops(execution: Execution) -> Iterator[HotLoop]:
    for name, program in execution.programs.items():
        counts = executions_of_bundles(program)
        ends = _loop_ends(program)
        for header in program.listing.loop_headers:
            if header in ends and counts[header]:
                inside = sum(counts[header : ends[header]])
                yield HotLoop(
                    program=name,
                    first_bundle=header,
                    iterations=counts[header],
                    bundles_per_iteration=inside / counts[header],
                    bundle_share=inside / execution.log.bundles,
                )


def _loop_ends(program: LoweredProgram) -> dict[int, int]:
    """Returns the bundle after the last one of each loop, by its first one, for branches that were reached."""
    ends: dict[int, int] = {}
    for block in program.blocks.values():
        end = block.start + block.length
        if 0 <= block.target < end:
            ends[block.target] = max(end, ends.get(block.target, 0))
    return ends


def _units(execution: Execution, schedule: Schedule) -> tuple[UnitUse, ...]:
    used: dict[str, int] = defaultdict(int)
    capacity: dict[str, int] = {}
    for name, program in execution.programs.items():
        table = schedule.utilization.get(name)
        if table is None or len(table.rows) != len(program.listing.bundles):
            return ()
        capacity.update(zip(table.units, table.capacity, strict=True))
        for count, row in zip(executions_of_bundles(program), table.rows, strict=True):
            if count:
                for unit, slots in zip(table.units, row, strict=True):
                    used[unit] += count * slots
    return tuple(
        UnitUse(unit=unit, share=used[unit] / (slots * execution.log.bundles)) for unit, slots in capacity.items()
    )
