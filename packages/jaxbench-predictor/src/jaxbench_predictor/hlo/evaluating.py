"""Evaluates instructions of a module on concrete arrays.

Whatever is not certain to come out on the chip as it does here raises `UnevaluableError`.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from jaxbench_predictor.hlo import elementwise, indexing, reducing
from jaxbench_predictor.hlo.literals import parse_literal
from jaxbench_predictor.hlo.module import Computation, HloModule, Instruction
from jaxbench_predictor.hlo.shapes import Array, UnevaluableError

Value = Array | tuple["Value", ...]
"""An array or a tuple of values."""

_MAX_ITERATIONS = 100_000
_MAX_DEPTH = 20

_WITH_SETTINGS: Mapping[str, Callable[..., Array]] = MappingProxyType(
    {
        "bitcast-convert": indexing.bitcast_convert,
        "broadcast": indexing.broadcast,
        "clamp": elementwise.clamp,
        "compare": elementwise.compare,
        "concatenate": indexing.concatenate,
        "convert": elementwise.convert,
        "dynamic-slice": indexing.dynamic_slice,
        "dynamic-update-slice": indexing.dynamic_update_slice,
        "gather": indexing.gather,
        "iota": indexing.iota,
        "pad": indexing.pad,
        "reshape": indexing.reshape,
        "reverse": indexing.reverse,
        "select": elementwise.select,
        "slice": indexing.strided_slice,
        "transpose": indexing.transpose,
    }
)
"""Functions of an instruction and its operands."""

_WITHOUT: Mapping[str, Callable[..., Array]] = MappingProxyType({**elementwise.UNARY, **elementwise.BINARY})
"""Functions of operands alone."""

_UNDEFINED = "AllocateBuffer"
_IDENTITY = "AssumeGatherIndicesInBound"


def evaluate_instruction(module: HloModule, instruction: Instruction, operands: Sequence[Value], *, fill: int) -> Value:
    """Evaluates one instruction, with whatever computations it calls.

    Args:
        module: Where the computations are.
        instruction: The instruction.
        operands: Values of its operands.
        fill: Byte that undefined memory is full of. A result that differs between two fills is undefined.

    Raises:
        UnevaluableError: The result is not certain.
    """
    try:
        with np.errstate(all="ignore"):
            return _Evaluator(module, fill).instruction(instruction, operands)
    except (ArithmeticError, IndexError, KeyError, TypeError, ValueError, MemoryError) as error:
        # Settings of a form that is not known.
        raise UnevaluableError(f"what {instruction.opcode} {instruction.name} yields ({error})") from error


class _Evaluator:
    def __init__(self, module: HloModule, fill: int) -> None:
        self._module = module
        self._fill = fill
        self._depth = 0

    def computation(self, computation: Computation, arguments: Sequence[Value]) -> Value:
        """Evaluates a function."""
        if self._depth >= _MAX_DEPTH:
            raise UnevaluableError("computations that call each other without end")
        self._depth += 1
        values: dict[str, Value] = {}
        for instruction in computation.instructions.values():
            if instruction.opcode == "parameter":
                values[instruction.name] = arguments[int(instruction.argument)]
            else:
                values[instruction.name] = self.instruction(
                    instruction, [values[name] for name in instruction.operands]
                )
        self._depth -= 1
        return values[computation.root.name]

    def instruction(self, instruction: Instruction, operands: Sequence[Value]) -> Value:
        """Evaluates an instruction."""
        if instruction.opcode in _WITH_SETTINGS or instruction.opcode in _WITHOUT:
            return _array_of(instruction, operands)
        special: Callable[[Instruction, Sequence[Any]], Value] | None = getattr(
            self, f"_{instruction.opcode.replace('-', '_')}", None
        )
        if special is None:
            raise UnevaluableError(f"the result of {instruction.opcode}")
        return special(instruction, operands)

    def _constant(self, instruction: Instruction, _: Sequence[Value]) -> Value:
        return parse_literal(instruction.argument, instruction.array_shape())

    def _bitcast(self, instruction: Instruction, operands: Sequence[Array]) -> Value:
        """The same bytes, read by another layout."""
        source = self._module.find(instruction.operands[0])
        if source is None:
            raise UnevaluableError("a bitcast of nothing")
        return instruction.array_shape().decode(source.array_shape().encode(operands[0])[0])

    def _tuple(self, _: Instruction, operands: Sequence[Value]) -> Value:
        return tuple(operands)

    def _get_tuple_element(self, instruction: Instruction, operands: Sequence[Sequence[Value]]) -> Value:
        (index,) = instruction.integers("index")
        return operands[0][index]

    def _fusion(self, instruction: Instruction, operands: Sequence[Value]) -> Value:
        return self.computation(self._module.called(instruction, "calls"), operands)

    def _call(self, instruction: Instruction, operands: Sequence[Value]) -> Value:
        return self.computation(self._module.called(instruction), operands)

    def _while(self, instruction: Instruction, operands: Sequence[Value]) -> Value:
        condition = self._module.called(instruction, "condition")
        body = self._module.called(instruction, "body")
        state = operands[0]
        for _ in range(_MAX_ITERATIONS):
            if not self.computation(condition, [state]):
                return state
            state = self.computation(body, [state])
        raise UnevaluableError("a loop of very many iterations")

    def _custom_call(self, instruction: Instruction, operands: Sequence[Value]) -> Value:
        target = instruction.attributes.get("custom_call_target", "").strip('"')
        if target == _IDENTITY:
            return operands[0]
        if target == _UNDEFINED:
            shape = instruction.array_shape()
            nbytes = int(np.prod(shape.dims)) * shape.numpy_dtype.itemsize
            fill = 1 if shape.numpy_dtype == np.bool_ and self._fill else self._fill
            return np.full(nbytes, fill, np.uint8).view(shape.numpy_dtype).reshape(shape.dims)
        raise UnevaluableError(f"the result of a call of {target}")

    def _reduce(self, instruction: Instruction, operands: Sequence[Array]) -> Value:
        return self._combining(reducing.reduce, instruction, operands)

    def _reduce_window(self, instruction: Instruction, operands: Sequence[Array]) -> Value:
        return self._combining(reducing.reduce_window, instruction, operands)

    def _combining(self, function: Callable[..., Array], instruction: Instruction, operands: Sequence[Array]) -> Value:
        opcode = self._commutative(instruction)
        if opcode is None or len(operands) != 2:
            raise UnevaluableError(f"a {instruction.opcode} with an operation of its own")
        return function(instruction, opcode, elementwise.BINARY[opcode], *operands)

    def _scatter(self, instruction: Instruction, operands: Sequence[Array]) -> Value:
        opcode = self._commutative(instruction)
        root = self._module.called(instruction).root
        if opcode is not None and len(operands) == 3:
            reducing.check_exact(opcode, np.append(operands[0], operands[2]))
            return indexing.scatter(instruction, elementwise.BINARY[opcode], *operands, commutes=True)
        if root.opcode == "parameter" and root.argument == "1" and len(operands) == 3:
            return indexing.scatter(instruction, lambda _, update: update, *operands, commutes=False)
        raise UnevaluableError("a scatter with an operation of its own")

    def _commutative(self, instruction: Instruction) -> str | None:
        return reducing.operation_of(self._module.called(instruction))

    def _sort(self, instruction: Instruction, operands: Sequence[Array]) -> Value:
        comparator = self._module.called(instruction)

        def less(pairs: Sequence[Array]) -> Array:
            return np.asarray(_Elementwise(self._module, self._fill).computation(comparator, pairs))

        results = reducing.sort(instruction, less, comparator, list(operands))
        return results if len(operands) > 1 else next(iter(results))


class _Elementwise(_Evaluator):
    """Evaluates a function of single elements on arrays of them."""

    def instruction(self, instruction: Instruction, operands: Sequence[Value]) -> Value:
        """Evaluates an instruction."""
        if instruction.opcode == "constant":
            return super().instruction(instruction, operands)
        if instruction.opcode in {"compare", "select"}:
            return _WITH_SETTINGS[instruction.opcode](instruction, *operands)
        if instruction.opcode in _WITHOUT:
            return _WITHOUT[instruction.opcode](*operands)
        raise UnevaluableError(f"a sort by {instruction.opcode}")


def _array_of(instruction: Instruction, operands: Sequence[Value]) -> Array:
    shape = instruction.array_shape()
    shape.check_size()
    if with_settings := _WITH_SETTINGS.get(instruction.opcode):
        result = with_settings(instruction, *operands)
    else:
        result = _WITHOUT[instruction.opcode](*operands)
    if result.shape != shape.dims:
        raise UnevaluableError(f"a result of {instruction.opcode} of another shape than it should have")
    return np.asarray(result, shape.numpy_dtype)


def is_evaluated(instruction: Instruction) -> bool:
    """Returns whether an instruction is of a kind that can be evaluated; a Mosaic kernel is not."""
    if instruction.opcode == "custom-call":
        return instruction.attributes.get("custom_call_target", "").strip('"') in {_UNDEFINED, _IDENTITY}
    known = instruction.opcode in _WITH_SETTINGS or instruction.opcode in _WITHOUT
    return known or hasattr(_Evaluator, f"_{instruction.opcode.replace('-', '_')}")
