"""Makes a report of an execution."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from jaxbench_predictor.execution.core import Execution
from jaxbench_predictor.execution.events import DmaSite
from jaxbench_predictor.execution.lowering import LoweredProgram
from jaxbench_predictor.listing.naming import TOP_LEVEL
from jaxbench_predictor.listing.schedule import Schedule
from jaxbench_predictor.machines import Machine
from jaxbench_predictor.memory import Space
from jaxbench_predictor.report.labelling import bottleneck
from jaxbench_predictor.report.model import Bounds, HloTime, HotLoop, ProgramTime, Report, Traffic, WaitTime
from jaxbench_predictor.report.slots import FILLS, SPILLS, Slots, executions_of_bundles
from jaxbench_predictor.report.windows import window_shape

_LIMIT = 20
"""Most entries of a list."""


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
    counted = {name: _Counted(program, schedule) for name, program in execution.programs.items()}
    slots = Slots.total(each.slots for each in counted.values())
    return Report(
        bottleneck=bottleneck(execution.cycles, log.stalled_cycles, execution.hbm_busy_cycles, slots),
        bounds=_bounds(execution, counted.values(), machine),
        clock_hz=machine.clock_hz.value,
        executed_cycles=log.bundles,
        slowed_cycles=log.slowed_cycles,
        waiting_cycles=log.stalled_cycles,
        hbm_busy_ns=execution.hbm_busy_cycles * ns_per_cycle,
        hlo=_hlo(execution, schedule, ns_per_cycle),
        programs=_programs(execution, counted, ns_per_cycle),
        waits=_waits(execution, ns_per_cycle),
        traffic=_traffic(log.dmas),
        loops=tuple(sorted(_loops(execution, counted, ns_per_cycle), key=lambda loop: -loop.bundle_share)[:_LIMIT]),
        units=slots.units(),
        assumptions=execution.assumptions,
    )


class _Counted:
    """One program with its counts."""

    def __init__(self, program: LoweredProgram, schedule: Schedule) -> None:
        self.program = program
        self.executions = executions_of_bundles(program)
        self.table = schedule.utilization.get(program.listing.name)
        self.slots = Slots.of_bundles(self.executions, self.table)

    @property
    def matmul_flops(self) -> int:
        """Floating-point operations of the matrix units."""
        flops = self.program.listing.matmul_flops
        return sum(count * each for count, each in zip(self.executions, flops, strict=bool(flops)))


def _bounds(execution: Execution, counted: Iterable[_Counted], machine: Machine) -> Bounds:
    moved = sum(dma.nbytes * ((dma.source is Space.HBM) + (dma.destination is Space.HBM)) for dma in execution.log.dmas)
    flops = sum(each.matmul_flops for each in counted) * machine.flops_per_listed_flop
    return Bounds(
        compute_ns=flops / machine.core_flops_per_s * 1e9,
        hbm_ns=moved / machine.core_peak_hbm_bytes_per_s * 1e9,
        schedule_ns=execution.log.bundles / machine.clock_hz.value * 1e9,
    )


def _programs(execution: Execution, counted: Mapping[str, _Counted], ns_per_cycle: float) -> tuple[ProgramTime, ...]:
    waiting: dict[str, float] = defaultdict(float)
    for wait in execution.log.waits:
        waiting[wait.program] += wait.stalled_cycles
    times = [
        ProgramTime(
            program=name,
            executing_ns=each.slots.bundles * ns_per_cycle,
            waiting_ns=waiting[name] * ns_per_cycle,
            units=each.slots.units(),
            spills=each.slots.used.get(SPILLS),
            fills=each.slots.used.get(FILLS),
        )
        for name, each in counted.items()
    ]
    return tuple(sorted(times, key=lambda each: -(each.executing_ns + each.waiting_ns))[:_LIMIT])


def _hlo(execution: Execution, schedule: Schedule, ns_per_cycle: float) -> tuple[HloTime, ...]:
    calls: dict[str, tuple[int, float]] = defaultdict(lambda: (0, 0.0))
    for site in execution.log.calls:
        if site.caller == TOP_LEVEL and site.calls and not site.name.startswith("<"):
            count, cycles = calls[site.name]
            calls[site.name] = count + site.calls, cycles + site.cycles
    vmem = schedule.scoped_vmem
    times = [
        HloTime(name=name, calls=count, time_ns=cycles * ns_per_cycle, vmem_bytes=vmem.get(name))
        for name, (count, cycles) in calls.items()
    ]
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
        WaitTime(
            **window._asdict(),
            window_shape=window_shape(window.window, window.operand),
            stalls=lost.stalls,
            time_ns=lost.cycles * ns_per_cycle,
        )
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


def _loops(execution: Execution, counted: Mapping[str, _Counted], ns_per_cycle: float) -> Iterator[HotLoop]:
    for name, each in counted.items():
        ends = _loop_ends(each.program)
        for header in sorted(each.program.listing.loop_headers & ends.keys()):
            end, iterations = ends[header], each.executions[header]
            if iterations:
                inside = Slots.of_bundles(each.executions, each.table, header, end)
                waiting = sum(
                    wait.stalled_cycles
                    for wait in execution.log.waits
                    if wait.program == name and header <= wait.bundle < end
                )
                yield HotLoop(
                    program=name,
                    first_bundle=header,
                    iterations=iterations,
                    bundles_per_iteration=inside.bundles / iterations,
                    bundle_share=inside.bundles / execution.log.bundles,
                    waiting_ns=waiting * ns_per_cycle,
                    units=inside.units(),
                )


def _loop_ends(program: LoweredProgram) -> dict[int, int]:
    """Returns the bundle after the last one of each loop, by its first one, for branches that were reached."""
    ends: dict[int, int] = {}
    for block in program.blocks.values():
        end = block.start + block.length
        if 0 <= block.target < end:
            ends[block.target] = max(end, ends.get(block.target, 0))
    return ends
