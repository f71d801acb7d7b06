"""Turns a listing into blocks of steps that the interpreter runs quickly. Blocks are made when first reached."""

from collections.abc import Callable, Hashable, Iterator

from jaxbench_predictor.execution import opcodes
from jaxbench_predictor.execution.blocks import Block, Call, Segment, Step
from jaxbench_predictor.execution.effects import WAIT_COMPARISONS, ChangeFlag, Delay, Dma, Effect, Unsupported, Wait
from jaxbench_predictor.execution.events import CallSite, DmaSite, Log, WaitSite
from jaxbench_predictor.execution.inputs import parameter_address
from jaxbench_predictor.execution.liveness import inputs_of, is_pure, live_names
from jaxbench_predictor.execution.provenance import hbm_buffer, spaces
from jaxbench_predictor.execution.scalar_memory import ALLOCATION_SHIFT, ScalarMemory
from jaxbench_predictor.execution.values import WORD, Scalar, Unknown, UnpredictableError
from jaxbench_predictor.listing.model import Address, Immediate, Listing, ListingError, Op, Operand, Symbol, Token, Value
from jaxbench_predictor.listing.naming import callee_name


class Allocations:
    """Gives each allocation of each program an address of its own, the same in whatever memory it lies."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], int] = {}

    def number(self, program: str, allocation: str) -> int:
        """Returns the number of an allocation, from one."""
        return self._numbers.setdefault((program, allocation), len(self._numbers) + 1)


class LoweredProgram:
    """One listing, its registers, and the blocks reached so far."""

    def __init__(self, listing: Listing, smem: ScalarMemory, log: Log, allocations: Allocations, slots: int) -> None:
        """Prepares a listing.

        Args:
            listing: The listing.
            smem: Scalar memory of the core, which loads and stores refer to.
            log: Gets a site for each effect.
            allocations: Numbers of allocations, shared by all programs of the core.
            slots: Bundles after a branch that still execute.
        """
        self.listing = listing
        self.blocks: dict[int, Block] = {}
        self.allocations: set[int] = set()
        self._smem, self._log, self._numbers, self._delay_slots = smem, log, allocations, slots
        self._live = live_names(listing)
        self.definitions = {op.result.name: op for bundle in listing.bundles for op in bundle if op.result}
        self._phi_operands = {
            operand.name
            for bundle in listing.bundles
            for op in bundle
            if op.opcode in _PHIS
            for operand in op.operands
            if isinstance(operand, Value)
        }
        self._registers: list[Scalar] = []
        self._slots: dict[Hashable, int] = {}
        self._true = self._constant(True)
        self._zero = self._constant(0)

    def registers(self, arguments: dict[str, Scalar]) -> list[Scalar]:
        """Returns the registers at entry; arguments by physical register."""
        registers = self._registers.copy()
        for register, value in arguments.items():
            slot = self._slots.get(("argument", register))
            if slot is not None:
                registers[slot] = value
        return registers

    def grow(self, registers: list[Scalar]) -> None:
        """Extends registers made before the latest block was lowered."""
        registers.extend(self._registers[len(registers) :])

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
        branch_at, branch = self._next_branch(start)
        end = len(self.listing.bundles) if branch is None else branch_at + self._delay_slots + 1
        if end > len(self.listing.bundles):
            raise ListingError("a branch has no delay slots")
        segments: list[Segment] = []
        steps: list[Step] = []
        for index in range(start, end):
            bundle = self.listing.bundles[index]
            steps.extend(self._pure_steps(bundle))
            for op in bundle:
                if is_pure(op) or op.opcode in opcodes.IGNORED or op is branch:
                    continue
                if op.opcode == "sbr.rel":
                    raise ListingError("a branch in the delay slots of another")
                if op.opcode == "sst":
                    steps.extend(self._store(op))
                    continue
                effect = self._effect(op, index, steps)
                segments.append(Segment(tuple(steps), effect, index - start))
                steps = []
            if index == branch_at and branch is not None:
                # Later bundles may redefine the predicate.
                steps.append((opcodes.copy, self._slot(("branch", branch_at)), self._condition(branch, steps), 0, 0))
        segments.append(Segment(tuple(steps), None, end - start))
        if branch is None:
            return Block(start, end - start, tuple(segments), None, -1)
        target = branch.attribute("target")
        if target is None or int(target) >= len(self.listing.bundles):
            raise ListingError("a branch without a target in this listing")
        return Block(start, end - start, tuple(segments), self._slot(("branch", branch_at)), int(target))

    def _next_branch(self, start: int) -> tuple[int, Op | None]:
        for index in range(start, len(self.listing.bundles)):
            for op in self.listing.bundles[index]:
                if op.opcode == "sbr.rel":
                    return index, op
        return -1, None

    def _pure_steps(self, bundle: tuple[Op, ...]) -> Iterator[Step]:
        pure = [op for op in bundle if is_pure(op) and op.result and op.result.name in self._live]
        for op in sorted(pure, key=lambda op: op.opcode not in _PHIS):
            if op.opcode in _PHIS:
                yield from self._steps(op)
        waiting = {op.result.name: op for op in pure if op.result and op.opcode not in _PHIS}
        while waiting:
            # Address operations use results of their own bundle.
            ready = [op for op in waiting.values() if not any(name in waiting for name in inputs_of(op))]
            if not ready:
                raise ListingError("operations of one bundle depend on each other in a circle")
            for op in ready:
                assert op.result is not None
                del waiting[op.result.name]
                yield from self._steps(op)

    def _steps(self, op: Op) -> Iterator[Step]:
        assert op.result is not None
        target = self._slot(op.result.name)
        before: list[Step] = []
        condition = self._condition(op, before)
        yield from before
        function, operands = self._function(op)
        yield (function, target, *operands)
        if op.otherwise is not None:
            yield (opcodes.select, target, condition, target, self._of(op.otherwise))
            condition = self._true
        if op.result.name in self._phi_operands and isinstance(op.result, Value):
            register = self._slot(("register", op.result.register))
            yield (opcodes.select, register, condition, target, register)

    def _function(self, op: Op) -> tuple[opcodes.Pure, tuple[int, int, int]]:
        special = _SPECIAL.get(op.opcode.partition(".")[0])
        if special is not None:
            return special(self, op)
        function = opcodes.PURE.get(op.opcode)
        if function is None or len(op.operands) > 3:
            return opcodes.copy, self._three([self._unknown(f"a result of {op.opcode}")])
        return function, self._three([self._of(operand) for operand in op.operands])

    def _phi(self, op: Op) -> tuple[opcodes.Pure, tuple[int, int, int]]:
        registers = {operand.register for operand in (op.result, *op.operands) if isinstance(operand, Value)}
        if len(registers) != 1:
            raise ListingError(f"a phi of several registers: {', '.join(sorted(registers))}")
        return opcodes.copy, self._three([self._slot(("register", registers.pop()))])

    def _argument(self, op: Op) -> tuple[opcodes.Pure, tuple[int, int, int]]:
        assert isinstance(op.result, Value)
        return opcodes.copy, self._three([self._slot(("argument", op.result.register))])

    def _parameter(self, op: Op) -> tuple[opcodes.Pure, tuple[int, int, int]]:
        match op.operands:
            case (Immediate(int(position)),):
                return opcodes.copy, self._three([self._constant(parameter_address(position) & WORD)])
            case _:
                raise ListingError("a parameter address without a position")

    def _load(self, op: Op) -> tuple[opcodes.Pure, tuple[int, int, int]]:
        match op.operands:
            case (Address("smem", terms),) if len(terms) <= 3:
                return self._smem.load, self._three([self._of(term) for term in terms])
            case _:
                raise ListingError("a scalar load of a form that is not known")

    def _division(self, op: Op) -> tuple[opcodes.Pure, tuple[int, int, int]]:
        operands = self._three([self._of(operand) for operand in op.operands])
        if "kRem" in op.comment:
            return opcodes.remainder, operands
        if "kDiv" in op.comment or "kQuot" in op.comment:
            return opcodes.quotient, operands
        return opcodes.copy, self._three([self._unknown("a division of an unknown kind")])

    def _store(self, op: Op) -> Iterator[Step]:
        before: list[Step] = []
        condition = self._condition(op, before)
        yield from before
        match op.operands:
            case (Address("smem", terms), value) if len(terms) <= 3:
                address = self._slot(("scratch", "store"))
                yield (opcodes.total, address, *self._three([self._of(term) for term in terms]))
                yield (self._smem_store, self._slot(("scratch", "none")), address, self._of(value), condition)
            case _:
                raise ListingError("a scalar store of a form that is not known")

    def _smem_store(self, address: Scalar, value: Scalar, condition: Scalar) -> Scalar:
        self._smem.store(address, value, condition)
        return 0

    def _effect(self, op: Op, bundle: int, steps: list[Step]) -> Effect | Call:
        condition = self._condition(op, steps)
        if op.opcode in WAIT_COMPARISONS:
            flag, count = (self._of(operand) for operand in op.operands)
            self._log.waits.append(WaitSite(self.listing.name, bundle))
            return Wait(len(self._log.waits) - 1, condition, flag, count, WAIT_COMPARISONS[op.opcode])
        if op.opcode in {"vsyncadd", "vsyncset"}:
            flag, amount = (self._of(operand) for operand in op.operands)
            return ChangeFlag(condition, flag, amount, op.opcode == "vsyncadd")
        if op.opcode == "vdelay":
            return Delay(self._of(op.operands[0]))
        if op.opcode in {"inlined_call", "call"}:
            return self._call(op, bundle, condition)
        if op.opcode.startswith("dma.") and (ends := spaces(op, self.definitions)):
            site = DmaSite(self.listing.name, bundle, *ends, hbm_buffer(op, self.definitions), op.comment)
            self._log.dmas.append(site)
            return self._dma(op, condition)
        return Unsupported(condition, f"{op.opcode} (program {self.listing.name})")

    def _dma(self, op: Op, condition: int) -> Dma:
        by_label = {label: self._of(operand) for label, operand in zip(op.labels, op.operands, strict=True) if label}
        source, destination = by_label["src"] if "src" in by_label else self._of(op.operands[0]), self._zero
        for label in ("dst", "smem"):
            destination = by_label.get(label, destination)
        return Dma(
            site=len(self._log.dmas) - 1,
            condition=condition,
            size=self._of(op.labelled("size_in_granules")),
            flag=self._of(op.labelled("dst_syncflagno")),
            source=source,
            destination=destination,
            priority=int(op.attribute("thread") or 0),
        )

    def _call(self, op: Op, bundle: int, condition: int) -> Call:
        name = callee_name(op.comment)
        self._log.calls.append(CallSite(self.listing.name, bundle, name, program=""))
        arguments = tuple(
            (operand.register, self._of(operand)) for operand in op.operands if isinstance(operand, Value)
        )
        return Call(len(self._log.calls) - 1, condition, arguments)

    def _condition(self, op: Op, steps: list[Step]) -> int:
        """Returns the register that says whether `op` takes effect; appends the steps that compute it."""
        if op.predicate is None:
            return self._true
        slot = self._slot(op.predicate.name)
        if not op.predicate.negated:
            return slot
        negation = self._slot(("not", op.predicate.name))
        steps.append((opcodes.negate, negation, slot, self._zero, self._zero))
        return negation

    def _of(self, operand: Operand) -> int:
        match operand:
            case Value(name) | Token(name):
                return self._slot(name)
            case Immediate(int(value)):
                return self._constant(value)
            case Immediate(_):
                return self._unknown("a floating-point number")
            case Symbol(allocation, offset):
                number = self._numbers.number(self.listing.name, allocation)
                self.allocations.add(number)
                return self._constant(((number << ALLOCATION_SHIFT) + offset) & WORD)
            case _:
                return self._unknown("vector data")

    def _three(self, slots: list[int]) -> tuple[int, int, int]:
        padded = (*slots, self._zero, self._zero, self._zero)
        return padded[0], padded[1], padded[2]

    def _constant(self, value: int) -> int:
        # False and zero are equal, and must stay apart.
        return self._slot(("constant", value.__class__, value), value)

    def _unknown(self, origin: str) -> int:
        return self._slot(("unknown", origin), Unknown(origin))

    def _slot(self, key: Hashable, value: Scalar | None = None) -> int:
        slot = self._slots.get(key)
        if slot is None:
            slot = self._slots[key] = len(self._registers)
            self._registers.append(Unknown(_missing(self.listing.name, key)) if value is None else value)
        return slot


def _missing(program: str, key: Hashable) -> str:
    return f"a register of {program} that was not written ({key})"


_PHIS = frozenset({"sphi", "pphi"})

_SPECIAL: dict[str, Callable[[LoweredProgram, Op], tuple[opcodes.Pure, tuple[int, int, int]]]] = {
    "sphi": LoweredProgram._phi,
    "pphi": LoweredProgram._phi,
    "inlined_call_operand": LoweredProgram._argument,
    "scalar_parameter_address": LoweredProgram._parameter,
    "sld": LoweredProgram._load,
    "sdivrem": LoweredProgram._division,
}
