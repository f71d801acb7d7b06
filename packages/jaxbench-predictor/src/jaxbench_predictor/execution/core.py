"""The interpreter: executes a schedule from its top-level program."""

from dataclasses import dataclass, field

from jaxbench_predictor.execution.blocks import Call, Segment
from jaxbench_predictor.execution.buffers import Buffers
from jaxbench_predictor.execution.events import Log
from jaxbench_predictor.execution.inputs import Inputs, ParameterAddresses
from jaxbench_predictor.execution.lowering import LoweredProgram
from jaxbench_predictor.execution.registers import Allocations
from jaxbench_predictor.execution.runtime_words import PREFETCHED, assumed_words
from jaxbench_predictor.execution.scalar_memory import ALLOCATION_SHIFT, ScalarMemory
from jaxbench_predictor.execution.state import State
from jaxbench_predictor.execution.sync_flags import SyncFlags
from jaxbench_predictor.execution.trace import Trace
from jaxbench_predictor.execution.values import Scalar, UnpredictableError, known
from jaxbench_predictor.hlo.module import parse_module
from jaxbench_predictor.listing.model import Listing
from jaxbench_predictor.listing.naming import TOP_LEVEL
from jaxbench_predictor.listing.schedule import Schedule
from jaxbench_predictor.machines import Machine
from jaxbench_predictor.memory import MemoryModel

MAX_BLOCKS = 30_000_000
"""Most blocks that are executed: about a minute."""

_MAX_DEPTH = 16

_PREFETCH = "cross_program_prefetch_index=0"
"""How the HLO text marks a copy that the run before begins."""

ONE_OF_SEVERAL = "{} cores share HBM evenly; the time is that of the first of them"
"""The assumption about a device of several cores."""

_OTHER_CORE = 'execution_thread="sparsecore"'
"""How the HLO text marks a computation for the SparseCore."""


@dataclass(frozen=True)
class Execution:
    """One executed schedule.

    Attributes:
        cycles: From the first bundle of the top-level program to its end.
        log: What happened, by place.
        programs: The programs reached, by the name of their listing, with the blocks executed.
        hbm_busy_cycles: Cycles in which HBM moved data.
        assumptions: What was taken for granted about the state of the chip, in words.
    """

    cycles: float
    log: Log
    programs: dict[str, LoweredProgram]
    hbm_busy_cycles: float
    assumptions: tuple[str, ...] = field(default=())


def execute(
    schedule: Schedule,
    machine: Machine,
    memory: MemoryModel,
    inputs: Inputs | None = None,
    *,
    max_blocks: int = MAX_BLOCKS,
    flags: SyncFlags | None = None,
    smem: ScalarMemory | None = None,
    trace: Trace | None = None,
) -> Execution:
    """Executes a schedule once, in the steady state of back-to-back runs.

    Args:
        schedule: All listings of a module.
        machine: The chip.
        memory: Decides when transfers are done.
        inputs: Contents of integer inputs, as far as they are known.
        max_blocks: Most blocks to execute.
        flags: Sync flags of their own kind, for those who want to see every wait.
        smem: Scalar memory of its own kind, for those who know more of its content.
        trace: Gets what happens when.

    Raises:
        UnpredictableError: The time cannot be told from the schedule.
        ListingError: The schedule has a form that is not known.
    """
    module = parse_module(schedule.hlo)
    addresses = ParameterAddresses(module)
    buffers = Buffers(module, inputs or Inputs(), addresses, smem)
    state = State(memory, flags or SyncFlags(memory), buffers, buffers.smem, machine.granule_bytes, trace=trace)
    return _Core(schedule, machine, state, Allocations(addresses), max_blocks).run()


class _Core:
    def __init__(
        self, schedule: Schedule, machine: Machine, state: State, allocations: Allocations, max_blocks: int
    ) -> None:
        self._schedule = schedule
        self._cores = machine.num_cores
        self._delay_slots = machine.branch_delay_slots
        self._cycles_per_flop = machine.lost_cycles_per_matmul_flop
        self._state = state
        self._programs: dict[str, LoweredProgram] = {}
        self._allocations = allocations
        self._assumptions: list[str] = []
        self._blocks_left = max_blocks
        self._depth = 0

    def run(self) -> Execution:
        """Runs the top-level program, which is the composition of all others."""
        if self._cores > 1:
            self._assumptions.append(ONE_OF_SEVERAL.format(self._cores))
        if _OTHER_CORE in self._schedule.hlo:
            raise UnpredictableError("the program hands work to the SparseCore, which is not modelled")
        listing = self._schedule.find(TOP_LEVEL)
        self._allocations.add_all(listing)
        program = self._program(listing)
        if _PREFETCH in self._schedule.hlo and PREFETCHED not in self._assumptions:
            # Older compilers have no word that says so; the copy comes first.
            self._state.prefetched = 1
            self._assumptions.append(PREFETCHED)
        self._run(program, {})
        state = self._state
        if state.trace is not None:
            state.trace.add("run", "one run", 0.0, state.base)
        return Execution(
            state.base,
            state.log,
            self._programs,
            state.memory.busy_cycles,
            tuple(self._assumptions),
        )

    def _program(self, listing: Listing, instruction: str = "") -> LoweredProgram:
        program = self._programs.get(listing.name)
        if program is None:
            state = self._state
            called = state.buffers.values.module.find(instruction)
            program = LoweredProgram(
                listing,
                state.buffers,
                state.log,
                self._allocations,
                self._delay_slots,
                cycles_per_flop=self._cycles_per_flop,
                in_bounds=called is not None and called.opcode == "fusion",
            )
            self._programs[listing.name] = program
            self._set_runtime_words(listing)
        return program

    def _set_runtime_words(self, listing: Listing) -> None:
        """Writes what the runtime would have written for a program."""
        for word in assumed_words(listing):
            number = self._allocations.number(listing.name, word.allocation)
            self._state.smem.store(number << ALLOCATION_SHIFT, word.value, True)
            if word.assumption and word.assumption not in self._assumptions:
                self._assumptions.append(word.assumption)

    def _run(self, program: LoweredProgram, arguments: dict[str, Scalar]) -> None:
        trace = self._state.trace
        if trace is None:
            self._run_blocks(program, program.registers(arguments))
        else:
            trace.enter(program.listing)
            self._run_blocks(program, program.registers(arguments))
            trace.leave(self._state.base)

    def _run_blocks(self, program: LoweredProgram, registers: list[Scalar]) -> None:
        state = self._state
        log, trace = state.log, state.trace
        at = 0
        while True:
            block = program.blocks.get(at)
            if block is None:
                block = program.block(at)
                program.grow(registers)
            if trace is not None:
                trace.block(at, block.length, state.base)
            block.executed += 1
            self._blocks_left -= 1
            if self._blocks_left < 0:
                raise UnpredictableError("the step limit was reached; the program may not end")
            self._run_segments(block.segments, registers)
            if block.stores:
                state.buffers.stored = True
            state.base += block.length + block.slowed
            log.bundles += block.length
            log.slowed_cycles += block.slowed
            if block.condition is None:
                return
            taken = known(registers[block.condition], f"a branch of {program.listing.name}")
            at = block.target if taken else block.start + block.length

    def _run_segments(self, segments: tuple[Segment, ...], registers: list[Scalar]) -> None:
        state = self._state
        for segment in segments:
            for function, target, a, b, c in segment.steps:
                registers[target] = function(registers[a], registers[b], registers[c])
            effect = segment.effect
            if effect is None:
                continue
            if isinstance(effect, Call):
                self._call(effect, registers, segment.offset)
            else:
                effect.run(state, registers, segment.offset)

    def _call(self, call: Call, registers: list[Scalar], offset: int) -> None:
        if not known(registers[call.condition], "whether a program is called"):
            return
        site = self._state.log.calls[call.site]
        program = self._program(self._schedule.find(site.name), site.name)
        site.program = program.listing.name
        site.calls += 1
        if self._depth >= _MAX_DEPTH:
            raise UnpredictableError("programs call each other without end")
        self._depth += 1
        # The callee's first bundle issues after the call's.
        begin = self._state.base
        self._state.base = begin + offset + 1
        arguments = {register: registers[slot] for register, slot in call.arguments}
        results = self._state.buffers.enter(site.name, program.arguments, arguments) if self._depth == 1 else None
        self._run(program, arguments)
        if results is not None:
            self._state.buffers.leave(results)
        self._state.smem.release(program.allocations)
        elapsed = self._state.base - (begin + offset + 1)
        site.cycles += elapsed
        if self._state.trace is not None:
            track = "HLO instructions" if self._depth == 1 else f"calls, depth {self._depth}"
            self._state.trace.add(track, site.name, begin + offset + 1, begin + offset + 1 + elapsed)
        self._state.base = begin + elapsed
        self._depth -= 1
