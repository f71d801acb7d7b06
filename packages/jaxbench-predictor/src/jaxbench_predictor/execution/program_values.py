"""Values of HLO instructions: evaluated from the module's text when the schedule needs them."""

from collections.abc import Callable

import numpy as np

from jaxbench_predictor.execution.contents import Bytes, Content, Deferred, Either
from jaxbench_predictor.execution.inputs import Inputs
from jaxbench_predictor.hlo.evaluating import Value, evaluate_instruction
from jaxbench_predictor.hlo.indexing import strided_slice
from jaxbench_predictor.hlo.module import HloModule, Instruction
from jaxbench_predictor.hlo.shapes import Shape, UnevaluableError, element

Argument = tuple[Shape, Content]
"""An operand: how it is laid out, and the memory that it is in."""


class ProgramValues:
    """Evaluates instructions of one module.

    Those of the entry computation run once, so that their names stand for their values. What is in the body of a
    loop has another value each time; there, operands come from memory.
    """

    def __init__(self, module: HloModule, inputs: Inputs) -> None:
        """Begins with the contents of inputs that are known."""
        self.module = module
        self._inputs = inputs
        self._values: dict[tuple[str, int], Value | UnevaluableError] = {}

    def by_name(self, instruction: Instruction, index: int | None = None) -> Content | None:
        """Returns the value that a name stands for, or None where it stands for several."""
        if instruction.computation != self.module.entry and instruction.opcode != "constant":
            return None
        return _content(instruction, index, lambda fill: self._value(instruction, fill))

    def result(self, instruction: Instruction, index: int | None, operands: list[Argument] | None) -> Content:
        """Returns what one execution of an instruction yields."""

        def value(fill: int) -> Value:
            if operands is None:
                raise UnevaluableError(f"the result of {instruction.name}")
            arrays = [shape.decode(content.read(fill)[0]) for shape, content in operands]
            return evaluate_instruction(self.module, instruction, arrays, fill=fill)

        computed = _content(instruction, index, value)
        named = self.by_name(instruction, index)
        return computed if named is None else Either(named, computed)

    def _value(self, wanted: Instruction, fill: int) -> Value:
        for instruction in self._needed(wanted, fill):
            try:
                value: Value | UnevaluableError = self._evaluate(instruction, fill)
            except UnevaluableError as error:
                value = error
            self._values[instruction.name, fill] = value
        return self._known(wanted.name, fill)

    def _needed(self, wanted: Instruction, fill: int) -> list[Instruction]:
        """Returns the instructions to evaluate, operands before users."""
        needed: set[str] = set()
        waiting = [wanted.name]
        while waiting:
            name = waiting.pop()
            instruction = self.module.find(name)
            if name not in needed and (name, fill) not in self._values and instruction is not None:
                needed.add(name)
                waiting.extend(instruction.operands)
        computation = self.module.computations[wanted.computation]
        return [instruction for name, instruction in computation.instructions.items() if name in needed]

    def _known(self, name: str, fill: int) -> Value:
        value = self._values.get((name, fill))
        if value is None:
            raise UnevaluableError(f"the result of {name}")
        if isinstance(value, UnevaluableError):
            raise value
        return value

    def _evaluate(self, instruction: Instruction, fill: int) -> Value:
        if instruction.opcode == "parameter":
            return self._parameter(instruction)
        operands = [self._known(name, fill) for name in instruction.operands]
        if instruction.opcode == "copy-start":
            return (operands[0], operands[0], np.zeros((), np.uint32))
        if instruction.opcode == "copy-done" and isinstance(operands[0], tuple):
            return operands[0][0]
        if instruction.opcode == "slice-start" and not isinstance(operands[0], tuple):
            return (operands[0], strided_slice(instruction, operands[0]), np.zeros((), np.uint32))
        if instruction.opcode == "slice-done" and isinstance(operands[0], tuple):
            return operands[0][1]
        return evaluate_instruction(self.module, instruction, operands, fill=fill)

    def _parameter(self, parameter: Instruction) -> Value:
        position = int(parameter.argument)
        shape = parameter.array_shape()
        words = self._inputs.words.get(position)
        if words is not None:
            return shape.decode(np.array(words, np.int64).astype(np.uint32).view(np.uint8))
        array = self._inputs.arrays.get(position)
        if array is None:
            raise UnevaluableError(f"entry parameter {position}, whose content is not given")
        converted = array.astype(shape.numpy_dtype)
        if array.shape != shape.dims or not np.array_equal(converted, array):
            given = f"{array.dtype}{list(array.shape)}"
            raise UnevaluableError(f"entry parameter {position} {shape.dtype}{list(shape.dims)}, given as {given}")
        return converted


def _content(instruction: Instruction, index: int | None, value: Callable[[int], Value]) -> Content:
    shape = element(instruction.shape, index)

    def read(fill: int) -> Bytes:
        if shape is None:
            raise UnevaluableError(f"the result of {instruction.name}")
        shape.check_size()
        result = value(fill)
        if index is not None and isinstance(result, tuple):
            result = result[index]
        if isinstance(result, tuple):
            raise UnevaluableError(f"a tuple that {instruction.name} yields")
        return shape.encode(result)

    return Deferred(read)
