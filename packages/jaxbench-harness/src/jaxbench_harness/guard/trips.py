"""How often a loop runs, where the code says so."""

import operator
from collections.abc import Callable, Mapping
from typing import Any

from jax.extend.mlir import ir

_MAX_DEPTH = 16
"""Longest chain of operations that is followed to a constant."""

_FOLDS: Mapping[str, Callable[..., Any]] = {
    "arith.addi": operator.add,
    "arith.extsi": operator.pos,
    "arith.index_cast": operator.pos,
    "arith.muli": operator.mul,
    "arith.subi": operator.sub,
    "stablehlo.add": operator.add,
    "stablehlo.convert": operator.pos,
    "stablehlo.multiply": operator.mul,
    "stablehlo.subtract": operator.sub,
}


def while_trips(loop: Any) -> int | None:
    """Returns the trips of a `stablehlo.while` that counts up by one, as `scan` and `fori_loop` write it; else None."""
    condition, body = (region.blocks[0] for region in loop.regions)
    comparison = _maker(_terminator(condition).operands[0])
    if comparison is None or comparison.name != "stablehlo.compare":
        return None
    if "LT" not in str(comparison.attributes["comparison_direction"]):
        return None
    index, limit = comparison.operands
    if not isinstance(index, ir.BlockArgument) or index.owner != condition:
        return None
    position = index.arg_number
    start, end = _constant(loop.operands[position]), _limit(loop, condition, body, limit)
    if start is None or end is None or not _counts_by_one(body, position):
        return None
    return max(end - start, 0)


def for_trips(loop: Any) -> int | None:
    """Returns the trips of an `scf.for` with constant bounds; else None."""
    start, end, step = (_constant(bound) for bound in list(loop.operands)[:3])
    if start is None or end is None or not step or step < 0:
        return None
    return max(-((start - end) // step), 0)


def _limit(loop: Any, condition: Any, body: Any, limit: Any) -> int | None:
    """A constant, or something that the loop carries unchanged, perhaps converted."""
    while (maker := _maker(limit)) is not None and maker.name == "stablehlo.convert":
        limit = maker.operands[0]
    if not isinstance(limit, ir.BlockArgument) or limit.owner != condition:
        return _constant(limit)
    carried = _terminator(body).operands[limit.arg_number]
    unchanged = isinstance(carried, ir.BlockArgument) and carried.owner == body
    if not unchanged or carried.arg_number != limit.arg_number:
        return None
    return _constant(loop.operands[limit.arg_number])


def _counts_by_one(body: Any, position: int) -> bool:
    step = _maker(_terminator(body).operands[position])
    if step is None or step.name != "stablehlo.add":
        return False
    counter, one = step.operands
    if not isinstance(counter, ir.BlockArgument):
        counter, one = one, counter
    of_loop = isinstance(counter, ir.BlockArgument) and counter.owner == body and counter.arg_number == position
    return of_loop and _constant(one) == 1


def _terminator(block: Any) -> Any:
    return block.operations[len(block.operations) - 1].operation


def _maker(value: Any) -> Any | None:
    """Returns the operation that a value is a result of; None for an argument of a block."""
    return None if isinstance(value, ir.BlockArgument) else value.owner.operation


def _constant(value: Any, depth: int = _MAX_DEPTH) -> int | None:
    """Returns the integer that a value always is; None where it is not known."""
    owner = _maker(value)
    if owner is None or depth == 0:
        return None
    if owner.name in ("arith.constant", "stablehlo.constant"):
        return _integer(owner.attributes["value"])
    fold = _FOLDS.get(owner.name)
    if fold is None:
        return None
    known = [_constant(operand, depth - 1) for operand in owner.operands]
    return None if None in known else fold(*known)


def _integer(attribute: Any) -> int | None:
    if isinstance(attribute, ir.IntegerAttr):
        return attribute.value
    if isinstance(attribute, ir.DenseIntElementsAttr) and attribute.is_splat:
        return int(attribute[0])
    return None
