"""Turns operations that only compute scalars, or access scalar memory, into steps."""

from collections.abc import Iterator, Sequence

from jaxbench_predictor.execution import opcodes
from jaxbench_predictor.execution.blocks import Step
from jaxbench_predictor.execution.buffers import Buffers
from jaxbench_predictor.execution.liveness import inputs_of, is_pure, live_names
from jaxbench_predictor.execution.registers import RegisterFile
from jaxbench_predictor.execution.values import Scalar
from jaxbench_predictor.listing.model import Address, Immediate, Listing, ListingError, Op, Symbol, Token, Value

_PHIS = frozenset({"sphi", "pphi"})

_Computation = tuple[opcodes.Pure, tuple[int, int, int]]
"""A function and the places of its operands."""


class StepBuilder:
    """Makes the steps of one program."""

    def __init__(self, listing: Listing, registers: RegisterFile, buffers: Buffers) -> None:
        """Finds out which values matter; loads and stores will refer to `buffers`."""
        self._registers = registers
        self._smem = buffers.smem
        self._buffers = buffers
        self._live = live_names(listing)
        phis = (op for bundle in listing.bundles for op in bundle if op.opcode in _PHIS)
        self._words = _pushed_words(listing)
        self._phi_operands = {operand.name for op in phis for operand in op.operands if isinstance(operand, Value)}

    def of_bundle(self, bundle: tuple[Op, ...]) -> Iterator[Step]:
        """Yields the steps that compute the scalars of a bundle.

        Raises:
            ListingError: An operation has a form that is not known.
        """
        pure = [op for op in bundle if is_pure(op) and op.result and op.result.name in self._live]
        for op in pure:
            # All phis read before anything is written.
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

    def of_store(self, op: Op) -> Iterator[Step]:
        """Yields the steps of a store to scalar memory.

        Raises:
            ListingError: It has a form that is not known.
        """
        registers = self._registers
        before: list[Step] = []
        condition = self.condition(op, before)
        yield from before
        match op.operands:
            case (Address("smem", terms), value) if len(terms) <= 3:
                address = registers.place(("scratch", "store"))
                yield (opcodes.total, address, *registers.three(*map(registers.of, terms)))
                yield (self._store, registers.place(("scratch", "none")), address, registers.of(value), condition)
            case _:
                raise ListingError("a scalar store of a form that is not known")

    def of_word_store(self, op: Op) -> Iterator[Step]:
        """Yields the step of a store of one word, by the top-level program, to a buffer in VMEM."""
        registers = self._registers
        none = registers.place(("scratch", "none"))
        match op.operands:
            case (Symbol() as buffer, word, rows):
                places = registers.three(*map(registers.of, (buffer, word, rows)))
                yield (self._buffers.store_word, none, *places)
            case _:
                yield (self._buffers.forget_vmem, none, *registers.three())

    def condition(self, op: Op, steps: list[Step]) -> int:
        """Returns where it stands whether `op` takes effect; appends the steps that compute it."""
        registers = self._registers
        if op.predicate is None:
            return registers.true
        place = registers.place(op.predicate.name)
        if not op.predicate.negated:
            return place
        negation = registers.place(("not", op.predicate.name))
        steps.append((opcodes.negate, negation, place, registers.zero, registers.zero))
        return negation

    def _store(self, address: Scalar, value: Scalar, condition: Scalar) -> Scalar:
        self._smem.store(address, value, condition)
        return 0

    def _steps(self, op: Op) -> Iterator[Step]:
        assert op.result is not None
        target = self._registers.place(op.result.name)
        before: list[Step] = []
        condition = self.condition(op, before)
        yield from before
        function, operands = self._computation(op)
        # A predicated result is computed in any case: nothing reads it where the predicate does not hold.
        yield (function, target, *operands)
        if op.otherwise is not None:
            yield (opcodes.select, target, condition, target, self._registers.of(op.otherwise))
            condition = self._registers.true
        if op.result.name in self._phi_operands and isinstance(op.result, Value):
            # A phi reads the physical register that all its operands share, whichever way it was reached.
            register = self._registers.place(("register", op.result.register))
            yield (opcodes.select, register, condition, target, register)

    def _computation(self, op: Op) -> _Computation:
        function, places = self._special(op) or (opcodes.PURE.get(op.opcode), ())
        places = places or [self._registers.of(operand) for operand in op.operands]
        function = function or opcodes.unmodelled(op.opcode)
        if len(places) > 3:
            raise ListingError(f"{op.opcode} with {len(places)} operands")
        return function, self._registers.three(*places)

    def _special(self, op: Op) -> tuple[opcodes.Pure, Sequence[int]] | None:
        """Returns the function of an operation that is more than a function of its operands, and what it reads."""
        registers = self._registers
        match op.opcode.partition(".")[0], op.operands:
            case (("sphi" | "pphi"), _):
                return opcodes.copy, [registers.place(("register", _phi_register(op)))]
            case "inlined_call_operand", _ if isinstance(op.result, Value):
                return opcodes.copy, [registers.place(("argument", op.result.register))]
            case "scalar_parameter_address", (Immediate(int(position)),):
                return opcodes.copy, [self._parameter(position)]
            case "sld", (Address("smem", terms),) if len(terms) <= 3:
                return self._smem.load, [registers.of(term) for term in terms]
            case "sdivrem", (a, b):
                return self._division(op), [registers.of(a), registers.of(b)]
            case _:
                return self._pushed_word(op)

    def _pushed_word(self, op: Op) -> _Computation | None:
        """Returns what loads a single word of VMEM, or moves it between the units."""
        registers = self._registers
        match op.opcode, op.operands:
            case "vld", (Address(_, (Symbol() as buffer,)),):
                return self._buffers.load_word, registers.three(registers.of(buffer))
            case "vstv", (scalar,):
                return opcodes.copy, registers.three(registers.of(scalar))
            case (("vpush" | "spop"), (Token(name),)) if name in self._words:
                return opcodes.copy, registers.three(registers.place(name))
            case _:
                return None

    def _parameter(self, position: int) -> int:
        try:
            return self._registers.parameter(position)
        except ValueError as error:
            raise ListingError(str(error)) from error

    @staticmethod
    def _division(op: Op) -> opcodes.Pure:
        if "kRem" in op.comment:
            return opcodes.remainder
        if "kDiv" in op.comment or "kQuot" in op.comment:
            return opcodes.quotient
        raise ListingError(f"a division that says neither quotient nor remainder: {op.comment[:40]!r}")


def _pushed_words(listing: Listing) -> frozenset[str]:
    """Returns the names of loads of single words, and of pushes of those."""
    ops = [op for bundle in listing.bundles for op in bundle if op.opcode in {"vld", "vpush"}]
    words = {op.result.name for op in ops if op.opcode == "vld" and op.result}
    pushes = {op.result.name for op in ops if op.opcode == "vpush" and op.result and set(inputs_of(op)) & words}
    return frozenset(words | pushes)


def _phi_register(op: Op) -> str:
    registers = {operand.register for operand in (op.result, *op.operands) if isinstance(operand, Value)}
    if len(registers) != 1:
        raise ListingError(f"a phi of several registers: {', '.join(sorted(registers))}")
    return registers.pop()
