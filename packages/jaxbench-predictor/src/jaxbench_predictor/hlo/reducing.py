"""Instructions that combine elements: reductions, windows, sorts."""

import re
from collections.abc import Callable, Sequence
from itertools import product
from math import prod

import numpy as np

from jaxbench_predictor.hlo.module import Computation, Instruction
from jaxbench_predictor.hlo.shapes import Array, UnevaluableError

Combine = Callable[[Array, Array], Array]

_MAX_STEPS = 1 << 14
"""Most elements that are combined one after the other."""

_MAX_PAIRS = 1 << 22
"""Most pairs of elements that a sort compares; more are sorted by one key."""

_EXACT_FLOAT = float(1 << 24)
"""Whole numbers up to here are added without rounding, in whatever order."""

_COMMUTATIVE = frozenset({"add", "multiply", "maximum", "minimum", "and", "or", "xor"})
_WINDOW = re.compile(r"(\w+)=(\S+)")


def operation_of(computation: Computation) -> str | None:
    """Returns the opcode of a computation that only combines its two parameters, in whatever order."""
    root = computation.root
    operands = {computation.instructions[name].opcode for name in root.operands if name in computation.instructions}
    simple = len(set(root.operands)) == 2 and operands == {"parameter"}
    return root.opcode if simple and root.opcode in _COMMUTATIVE else None


def reduce(instruction: Instruction, opcode: str, combine: Combine, a: Array, start: Array) -> Array:
    """Evaluates `reduce`.

    Args:
        instruction: The instruction.
        opcode: What `combine` is.
        combine: Combines two arrays.
        a: The operand.
        start: What the result is for no element.

    Raises:
        UnevaluableError: There are too many elements, or rounding makes their order matter.
    """
    axes = instruction.integers("dimensions")
    check_exact(opcode, np.append(a, start))
    kept = [axis for axis in range(a.ndim) if axis not in axes]
    rows = a.transpose(*axes, *kept).reshape(prod(a.shape[axis] for axis in axes), *(a.shape[axis] for axis in kept))
    return _fold(combine, rows, np.broadcast_to(start, rows.shape[1:]))


def _fold(combine: Combine, rows: Array, start: Array) -> Array:
    """Combines the first dimension by halves: the operation is commutative, and exact."""
    while len(rows) > 1:
        half = len(rows) // 2
        combined = combine(rows[:half], rows[half : 2 * half])
        rows = np.concatenate([combined, rows[2 * half :]])
    return combine(start, rows[0]) if len(rows) else np.asarray(start)


def reduce_window(instruction: Instruction, opcode: str, combine: Combine, a: Array, start: Array) -> Array:
    """Evaluates `reduce-window`; arguments are those of `reduce`.

    Raises:
        UnevaluableError: It is dilated, or as for `reduce`.
    """
    settings = dict(_WINDOW.findall(instruction.attributes["window"].strip("{}")))
    if settings.keys() - {"size", "pad", "stride"}:
        raise UnevaluableError("a dilated window")
    check_exact(opcode, np.append(a, start))
    sizes = [int(part) for part in settings["size"].split("x")]
    strides = [int(part) for part in settings["stride"].split("x")] if "stride" in settings else [1] * a.ndim
    padding = (
        [tuple(map(int, part.split("_"))) for part in settings["pad"].split("x")]
        if "pad" in settings
        else [(0, 0)] * a.ndim
    )
    if prod(sizes) > _MAX_STEPS or any(number < 0 for pair in padding for number in pair):
        raise UnevaluableError("a window of an unusual size")
    padded = np.pad(a, padding, constant_values=start)
    counts = [(extent - size) // stride + 1 for extent, size, stride in zip(padded.shape, sizes, strides, strict=True)]
    result = np.broadcast_to(start, counts)
    for offsets in product(*map(range, sizes)):
        place = tuple(
            slice(offset, offset + (count - 1) * stride + 1, stride)
            for offset, count, stride in zip(offsets, counts, strides, strict=True)
        )
        result = combine(result, padded[place])
    return result


def check_exact(opcode: str, a: Array) -> None:
    """Raises UnevaluableError where rounding makes the order of combining floating-point numbers matter."""
    if a.dtype.kind != "f" or opcode in {"maximum", "minimum"}:
        return
    whole = np.all(a == np.trunc(a))
    if opcode != "add" or not whole or not np.sum(np.abs(a), dtype=np.float64) <= _EXACT_FLOAT:
        raise UnevaluableError("a floating-point operation whose rounding is the chip's own")


def sort(
    instruction: Instruction, less: Callable[[Sequence[Array]], Array], comparator: Computation, operands: list[Array]
) -> tuple[Array, ...]:
    """Evaluates `sort`.

    Args:
        instruction: The instruction.
        less: Evaluates the comparator elementwise; takes, for each operand, the left and the right element.
        comparator: The comparator.
        operands: What is sorted together.

    Raises:
        UnevaluableError: Equal elements are in no certain order, or there are too many elements.
    """
    (axis,) = instruction.integers("dimensions")
    rows = [np.moveaxis(operand, axis, -1) for operand in operands]
    count = rows[0].shape[-1]
    if rows[0].size * count <= _MAX_PAIRS:
        pairs = [side for row in rows for side in (row[..., :, None], row[..., None, :])]
        ranks = np.sum(less(pairs), axis=-2)
    else:
        key, descending = _key(comparator)
        ranks = np.unique(rows[key], return_inverse=True)[1].reshape(rows[key].shape)
        ranks = -ranks if descending else ranks
    order = np.argsort(ranks, axis=-1, kind="stable")
    ties = np.any(np.diff(np.take_along_axis(ranks, order, -1), axis=-1) == 0)
    if ties and len(operands) > 1 and instruction.attributes.get("is_stable") != "true":
        raise UnevaluableError("a sort of equal elements in no certain order")
    return tuple(np.moveaxis(np.take_along_axis(row, order, -1), -1, axis) for row in rows)


def _key(comparator: Computation) -> tuple[int, bool]:
    """Returns by which operand a comparator sorts, and whether descending."""
    root = comparator.root
    sides = [comparator.instructions.get(name) for name in root.operands]
    if root.opcode == "compare" and all(side is not None and side.opcode == "parameter" for side in sides):
        first, second = (int(side.argument) for side in sides if side is not None)
        direction = root.attributes.get("direction")
        if second == first + 1 and first % 2 == 0 and direction in {"LT", "GT"}:
            return first // 2, direction == "GT"
    raise UnevaluableError("a sort by another order than that of one key")
