"""Turns a listing into blocks of steps that the interpreter runs quickly. Blocks are made when first reached."""

from collections.abc import Mapping

from jaxbench_predictor.execution import opcodes
from jaxbench_predictor.execution.blocks import Block, Segment, Step
from jaxbench_predictor.execution.buffers import Buffers, arguments_of
from jaxbench_predictor.execution.effect_building import EffectBuilder
from jaxbench_predictor.execution.events import Log
from jaxbench_predictor.execution.liveness import is_pure
from jaxbench_predictor.execution.registers import Allocations, RegisterFile
from jaxbench_predictor.execution.steps import StepBuilder
from jaxbench_predictor.execution.values import Scalar
from jaxbench_predictor.listing.model import Listing, ListingError, Op

_BRANCH = "sbr.rel"


class LoweredProgram:
    """One listing, its registers, and the blocks reached so far."""

    def __init__(
        self,
        listing: Listing,
        buffers: Buffers,
        log: Log,
        allocations: Allocations,
        delay_slots: int,
        *,
        cycles_per_flop: float = 0.0,
        in_bounds: bool = False,
    ) -> None:
        """Prepares a listing.

        Args:
            listing: The listing.
            buffers: Contents of memory, which loads and stores refer to.
            log: Gets a site for each effect.
            allocations: Numbers of allocations, shared by all programs of the core.
            delay_slots: Bundles after a branch that still execute.
            cycles_per_flop: Cycles lost per operation of the matrix units.
            in_bounds: Whether its vector stores stay inside the buffers that their addresses start in: those of the
                compiler's own code do, those of a kernel may not.
        """
        self.listing = listing
        self.blocks: dict[int, Block] = {}
        self._file = RegisterFile(listing.name, allocations)
        self._steps = StepBuilder(listing, self._file, buffers)
        self._effects = EffectBuilder(listing, self._file, log)
        self._delay_slots = delay_slots
        self.arguments = arguments_of(listing)
        self._stores = frozenset(
            index
            for index, bases in listing.vector_stores.items()
            if not in_bounds or not all(base and self._effects.may_be_written(base) for base in bases)
        )
        self._cycles_per_flop = cycles_per_flop

    @property
    def allocations(self) -> frozenset[int]:
        """Numbers of the allocations that it refers to, as far as it was reached."""
        return frozenset(self._file.allocations)

    def registers(self, arguments: Mapping[str, Scalar]) -> list[Scalar]:
        """Returns the registers at entry; arguments by physical register."""
        for register in arguments:
            # A block that is not lowered yet may read it.
            self._file.place(("argument", register))
        registers = self._file.initial.copy()
        for register, value in arguments.items():
            registers[self._file.place(("argument", register))] = value
        return registers

    def grow(self, registers: list[Scalar]) -> None:
        """Extends registers made before the latest block was lowered."""
        registers.extend(self._file.initial[len(registers) :])

    def block(self, start: int) -> Block:
        """Returns the block that begins at bundle `start`, lowering it when it is first reached.

        Raises:
            ListingError: The listing has a form that is not known.
        """
        block = self.blocks.get(start)
        if block is None:
            try:
                block = self.blocks[start] = self._lower(start)
            except ListingError as error:
                raise ListingError(f"{self.listing.name}, block at {start:#x}: {error}") from error
        return block

    def _lower(self, start: int) -> Block:
        bundles = self.listing.bundles
        branch_at, branch = self._next_branch(start)
        end = len(bundles) if branch is None else branch_at + self._delay_slots + 1
        if end > len(bundles):
            raise ListingError("a branch without delay slots")
        segments: list[Segment] = []
        steps: list[Step] = []
        taken: int | None = None
        for index in range(start, end):
            steps.extend(self._steps.of_bundle(bundles[index]))
            for op in bundles[index]:
                if is_pure(op) or op.opcode in opcodes.IGNORED:
                    continue
                if op is branch:
                    taken = self._taken(op, steps)
                elif op.opcode == _BRANCH:
                    raise ListingError("a branch in the delay slots of another")
                elif op.opcode == "sst":
                    steps.extend(self._steps.of_store(op))
                elif op.opcode == "vst":
                    steps.extend(self._steps.of_word_store(op))
                else:
                    condition = self._steps.condition(op, steps)
                    stores = any(bundle in self._stores for bundle in range(start, index + 1))
                    effect = self._effects.build(op, index, condition, after_store=stores)
                    segments.append(Segment(tuple(steps), effect, index - start))
                    steps = []
        segments.append(Segment(tuple(steps), None, end - start))
        stores = any(index in self._stores for index in range(start, end))
        slowed = self._cycles_per_flop * sum(self.listing.matmul_flops[start:end])
        return Block(start, end - start, tuple(segments), taken, self._target(branch), stores, slowed)

    def _next_branch(self, start: int) -> tuple[int, Op | None]:
        for index in range(start, len(self.listing.bundles)):
            for op in self.listing.bundles[index]:
                if op.opcode == _BRANCH:
                    return index, op
        return -1, None

    def _taken(self, branch: Op, steps: list[Step]) -> int:
        """Keeps the branch's condition aside: its delay slots may redefine the predicate."""
        condition = self._steps.condition(branch, steps)
        taken = self._file.place(("scratch", "branch"))
        steps.append((opcodes.copy, taken, condition, self._file.zero, self._file.zero))
        return taken

    def _target(self, branch: Op | None) -> int:
        if branch is None:
            return -1
        target = branch.attribute("target")
        if target is None or int(target) >= len(self.listing.bundles):
            raise ListingError("a branch without a target in this listing")
        return int(target)
