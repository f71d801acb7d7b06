"""Follows the contents of HBM and VMEM through a program: its inputs, its copies, and what its HLOs yield."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod
from types import MappingProxyType

from jaxbench_predictor.execution.contents import (
    Content,
    ContentMemory,
    Either,
    Untold,
    words,
    words_of,
)
from jaxbench_predictor.execution.inputs import GRANULE_BYTES, Inputs, ParameterAddresses
from jaxbench_predictor.execution.program_values import Argument, ProgramValues
from jaxbench_predictor.execution.scalar_memory import ALLOCATION_SHIFT, ScalarMemory
from jaxbench_predictor.execution.staging import Staging
from jaxbench_predictor.execution.values import WORD, Scalar, Unknown
from jaxbench_predictor.hlo.evaluating import is_evaluated
from jaxbench_predictor.hlo.module import HloModule, Instruction
from jaxbench_predictor.hlo.shapes import Shape, element
from jaxbench_predictor.listing.model import Listing, Value
from jaxbench_predictor.memory import Space

_BUFFER = re.compile(
    r"shape: (?P<shape>.+?), index: (?P<index>\d+), kind: (?P<kind>\w+), shape index: \{(?P<at>[\d,]*)\}"
)
_LARGEST = GRANULE_BYTES << ALLOCATION_SHIFT
"""Bytes from one allocation to the next; larger buffers are not followed."""

_VMEM_SHIFT = 4
"""VMEM addresses that a call passes count rows of 512 bytes, which are 2**4 granules."""

_SHIFTS: Mapping[Space, int] = MappingProxyType({Space.HBM: 0, Space.VMEM: _VMEM_SHIFT})
_UNKNOWN_BASES = 3 << 28
"""Addresses in granules, between those of outputs and of parameters."""

_WORD_BYTES = 4
_ROW_WORDS = 128
_SMEM_WORDS = 1024
"""Most words of scalar memory that are read as one operand."""


@dataclass(frozen=True, slots=True)
class Passed:
    """An operand as a listing declares it."""

    register: str
    index: int
    space: Space | None
    """Memory of the address that is passed; None where a scalar itself is."""
    is_output: bool
    element: int | None
    """Position in a tuple, of an output that is one."""
    is_array: bool
    """False for an input that is part of a tuple."""


@dataclass(frozen=True, slots=True)
class _Operand:
    """An input of the present program."""

    base: int
    """Address in granules."""
    nbytes: int
    content: Content
    space: Space | None
    shape: Shape | None


@dataclass(frozen=True, slots=True)
class _Result:
    """An output of the present program."""

    base: int | None
    """Address in granules, or words for scalar memory; None where it is unknown."""
    nbytes: int
    content: Content
    space: Space


def arguments_of(listing: Listing) -> tuple[Passed, ...]:
    """Returns the operands that a listing declares."""
    found: list[Passed] = []
    for op in (op for bundle in listing.bundles for op in bundle if op.opcode.startswith("inlined_call_operand")):
        buffer = _BUFFER.search(op.attribute("buffer") or "")
        if buffer and isinstance(op.result, Value):
            space = op.opcode.partition(".")[2]
            at = [int(index) for index in buffer["at"].split(",") if index]
            found.append(
                Passed(
                    op.result.register,
                    int(buffer["index"]),
                    Space(space) if space else None,
                    buffer["kind"] == "output",
                    at[0] if len(at) == 1 else None,
                    not at,
                )
            )
    return tuple(found)


class Buffers:
    """Contents of the buffers of one core."""

    def __init__(
        self, module: HloModule, inputs: Inputs, addresses: ParameterAddresses, smem: ScalarMemory | None = None
    ) -> None:
        """Begins with the contents of inputs that are known, and a scalar memory of its own unless one is given."""
        self.values = ProgramValues(module, inputs)
        self._memory = ContentMemory()
        self.smem = ScalarMemory() if smem is None else smem
        self._operands: dict[int, _Operand] = {}
        self.stored = False
        """Whether the present program may have written one of its inputs in VMEM."""
        self._staged = Staging(self.smem)
        for position, content in inputs.words.items():
            self._write(Space.HBM, addresses.address(position), len(content) * _WORD_BYTES, words(content))
        for parameter in module.entry_parameters:
            position = int(parameter.argument)
            content = self.values.by_name(parameter)
            if content and isinstance(parameter.shape, Shape) and position not in inputs.words:
                self._write(Space.HBM, addresses.address(position), parameter.shape.byte_size, content)

    def read(self, space: Space, address: Scalar | None, nbytes: int) -> Content:
        """Returns what the top-level program reads at an address in granules."""
        if not isinstance(address, int) or space not in {Space.HBM, Space.VMEM}:
            return Untold("memory whose content is not followed")
        if nbytes > _LARGEST:
            return Untold("a large buffer")
        return self._memory.read(space, (address & WORD) * GRANULE_BYTES, nbytes)

    def write(self, space: Space, address: Scalar, nbytes: int, content: Content) -> None:
        """Notes what the top-level program writes."""
        if not isinstance(address, int):
            self._memory.clear()
        elif space in {Space.HBM, Space.VMEM}:
            self._write(space, address, nbytes, content)

    def _write(self, space: Space, granule: int, nbytes: int, content: Content) -> None:
        if nbytes > _LARGEST:
            nbytes, content = _LARGEST, Untold("a large buffer")
        self._memory.write(space, (granule & WORD) * GRANULE_BYTES, nbytes, content)

    def load_word(self, row: Scalar, _b: Scalar = 0, _c: Scalar = 0) -> Scalar:
        """Returns the first word of a buffer of the top-level program in VMEM."""
        if isinstance(row, Unknown):
            return row
        content = self.read(Space.VMEM, row << _VMEM_SHIFT, _WORD_BYTES)
        (word,) = words_of(content, 1)
        return Unknown(f"vector data: {word.origin}") if isinstance(word, Unknown) else word

    def store_word(self, row: Scalar, word: Scalar, rows: int) -> Scalar:
        """Fills rows of a buffer of the top-level program in VMEM with one word; returns nothing of use."""
        content = Untold(word.origin) if isinstance(word, Unknown) else words([word] * (rows * _ROW_WORDS))
        address = row << _VMEM_SHIFT if isinstance(row, int) else row
        self.write(Space.VMEM, address, rows * _ROW_WORDS * _WORD_BYTES, content)
        return 0

    def forget_vmem(self, _a: Scalar, _b: Scalar, _c: Scalar) -> Scalar:
        """Forgets what VMEM holds, after a store of a form that is not known; returns nothing of use."""
        self._memory.clear(Space.VMEM)
        return 0

    def argument(self, index: int | None, address: Scalar, nbytes: int) -> Content:
        """Returns what the present program reads of one of its inputs."""
        operand = None if index is None else self._operands.get(index)
        if operand is None or operand.space is None or not isinstance(address, int):
            return Untold("memory whose content is not followed")
        if operand.space is Space.VMEM and self.stored:
            return Untold("memory that the program may have changed")
        offset = ((address - operand.base) & WORD) * GRANULE_BYTES
        if offset == 0:
            return operand.content
        if offset + nbytes > operand.nbytes:
            return Untold("memory past the end of an input")
        part = ContentMemory()
        part.write(operand.space, 0, operand.nbytes, operand.content)
        return part.read(operand.space, offset, nbytes)

    def stage(self, space: Space, address: Scalar | None, nbytes: int, source: Scalar | None) -> None:
        """Notes what the present program writes to an output.

        Args:
            space: Memory that is written.
            address: Where, in granules; None for rows with gaps.
            nbytes: How much.
            source: Where in scalar memory it comes from; None for data.
        """
        self._staged.write(space, address, nbytes, source)

    def distrust(self) -> None:
        """Forgets everything, because a kernel writes what it should not."""
        self._staged.forget()
        self._memory.clear()
        self._operands.clear()

    def enter(self, name: str, passed: tuple[Passed, ...], registers: dict[str, Scalar]) -> list[_Result]:
        """Begins a program that the top-level program calls.

        Args:
            name: Name of the HLO instruction.
            passed: What its listing declares.
            registers: The arguments; addresses that are not known are replaced.

        Returns:
            What it will have written, for `leave`.
        """
        instruction = self.values.module.find(name)
        inputs = {each.index: self._input(instruction, each, registers) for each in passed if not each.is_output}
        outputs = [self._result(instruction, each, registers, inputs) for each in passed if each.is_output]
        results = [result for result in outputs if result]
        for each in passed:
            # The address of what the program holds itself is not known; within the callee, any will do.
            shift = _SHIFTS.get(each.space) if each.space and not each.is_output else None
            if shift is not None and isinstance(registers.get(each.register), Unknown):
                base = _UNKNOWN_BASES + (each.index << ALLOCATION_SHIFT)
                registers[each.register] = base >> shift
                inputs[each.index] = replace(inputs[each.index], base=base)
        self.stored = False
        self._staged = Staging(self.smem)
        self._operands = {
            index: operand
            for index, operand in inputs.items()
            if not any(_overlap(operand, result) for result in results)
        }
        # Until it ends, nobody knows what its outputs hold.
        self._put(results, evaluated=False)
        return results

    def leave(self, results: list[_Result]) -> None:
        """Ends a program that the top-level program called."""
        self._operands = {}
        staged = self._staged.contents()
        if staged is not None:
            results = [self._with_staged(result, staged) for result in results]
        self.stored = False
        self._put(results, evaluated=True)

    def _with_staged(self, result: _Result, staged: ContentMemory) -> _Result:
        """Adds what DMAs from scalar memory have written, unless vector stores may have changed it since."""
        evaluated = not isinstance(result.content, Untold)
        if evaluated or not isinstance(result.base, int) or (result.space is Space.VMEM and self.stored):
            return result
        written = staged.read(result.space, result.base * GRANULE_BYTES, min(result.nbytes, _LARGEST))
        return replace(result, content=Either(written, result.content))

    def _put(self, results: list[_Result], *, evaluated: bool) -> None:
        for result in results:
            content = result.content if evaluated else Untold("an output that is not complete")
            if not isinstance(result.base, int):
                self._memory.clear()
            elif result.space is not Space.SMEM:
                self._write(result.space, result.base, result.nbytes, content)
            elif evaluated:
                # Where the value cannot be told, the program's own stores have said so.
                for offset, word in enumerate(words_of(content, result.nbytes // _WORD_BYTES)):
                    if not isinstance(word, Unknown):
                        self.smem.put(result.base + offset, word)

    def _input(self, instruction: Instruction | None, passed: Passed, registers: Mapping[str, Scalar]) -> _Operand:
        value = registers.get(passed.register, Unknown(f"register {passed.register}"))
        source = self._operand(instruction, passed)
        shape = source.shape if source and isinstance(source.shape, Shape) else None
        nbytes = shape.byte_size if shape else _LARGEST
        base = 0
        content: Content
        if isinstance(value, Unknown):
            content = Untold(value.origin)
        elif passed.space is None:
            content = words([value])
        elif passed.space is Space.SMEM:
            content = self._from_smem(value, prod(shape.dims) if shape else 1)
        else:
            base = _granule(passed.space, value)
            content = self.read(passed.space, base, nbytes)
        named = self.values.by_name(source) if source else None
        return _Operand(base, nbytes, content if named is None else Either(named, content), passed.space, shape)

    def _operand(self, instruction: Instruction | None, passed: Passed) -> Instruction | None:
        if instruction is None or not passed.is_array or passed.index >= len(instruction.operands):
            return None
        return self.values.module.find(instruction.operands[passed.index])

    def _from_smem(self, address: int, count: int) -> Content:
        found = [self.smem.load(address, offset) for offset in range(count)] if count <= _SMEM_WORDS else []
        known = [word for word in found if isinstance(word, int)]
        return words(known) if len(known) == count else Untold("scalar memory of unknown content")

    def _result(
        self,
        instruction: Instruction | None,
        passed: Passed,
        registers: Mapping[str, Scalar],
        inputs: Mapping[int, _Operand],
    ) -> _Result | None:
        if passed.space is None:
            return None
        value = registers.get(passed.register)
        shape = element(instruction.shape, passed.element) if instruction else None
        content: Content = Untold("the result of a program of unknown kind")
        if instruction is not None:
            content = Untold(f"the result of {instruction.name}")
            if is_evaluated(instruction):
                content = self.values.result(instruction, passed.element, _in_order(instruction, inputs))
        return _Result(
            base=_granule(passed.space, value) if isinstance(value, int) else None,
            nbytes=shape.byte_size if shape else _LARGEST,
            content=content,
            space=passed.space,
        )


def _in_order(instruction: Instruction, inputs: Mapping[int, _Operand]) -> list[Argument] | None:
    """Returns an instruction's operands, or None where its program was passed others."""
    arguments: list[Argument] = []
    for index in range(len(instruction.operands)):
        operand = inputs.get(index)
        if operand is None or operand.shape is None:
            return None
        arguments.append((operand.shape, operand.content))
    return arguments


def _granule(space: Space, address: int) -> int:
    return (address << _SHIFTS.get(space, 0)) & WORD


def _overlap(operand: _Operand, result: _Result) -> bool:
    if not isinstance(result.base, int) or operand.space is not result.space:
        return operand.space is not None and not isinstance(result.base, int)
    begin, end = operand.base, operand.base + -(-operand.nbytes // GRANULE_BYTES)
    return begin < result.base + -(-result.nbytes // GRANULE_BYTES) and result.base < end
