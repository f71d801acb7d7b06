"""Reads MLIR operations and types."""

import math
import re
from collections.abc import Iterator
from typing import Any

from jax.extend.mlir import ir

MOSAIC_CALL = "tpu_custom_call"
"""Target of the custom calls that are Mosaic kernels."""

_CALLEES = {"func.call": "callee", "stablehlo.composite": "decomposition"}

CONTRACTIONS = frozenset({"chlo.ragged_dot", "stablehlo.convolution", "stablehlo.dot_general", "tpu.matmul"})
"""Operations that multiply and sum two operands."""

_FLOAT = re.compile(r"(b?f|tf)\d")


def walk(operation: Any) -> Iterator[Any]:
    """Yields every operation inside `operation`, each before what is in it."""
    for region in operation.regions:
        for block in region:
            for inner in block:
                yield inner.operation
                yield from walk(inner.operation)


def text_of(operation: Any, name: str, otherwise: str = "") -> str:
    """Returns a string attribute or the name of a symbol; `otherwise` where there is none.

    Raises:
        TypeError: If the attribute is of another kind.
    """
    attribute = operation.attributes.get(name)
    if attribute is None:
        return otherwise
    if not isinstance(attribute, ir.StringAttr | ir.FlatSymbolRefAttr):
        raise TypeError(f"{operation.name}: attribute {name} is {attribute}, not a string")
    return attribute.value


def is_mosaic_call(operation: Any) -> bool:
    """Returns whether an operation calls a Mosaic kernel."""
    return operation.name == "stablehlo.custom_call" and text_of(operation, "call_target_name") == MOSAIC_CALL


def callee_of(operation: Any) -> str | None:
    """Returns the function of the same module that an operation calls; None where it calls none."""
    attribute = _CALLEES.get(operation.name)
    return text_of(operation, attribute) if attribute else None


def functions_of(module: Any) -> dict[str, Any]:
    """Returns the functions of a module by name."""
    inner = (inner.operation for inner in module.body.operations)
    return {text_of(function, "sym_name"): function for function in inner if function.name == "func.func"}


def is_array(kind: Any) -> bool:
    """Returns whether an MLIR type has a shape of known rank."""
    return isinstance(kind, ir.ShapedType) and kind.has_rank


def shape_of(kind: Any) -> tuple[int | None, ...]:
    """Returns the shape of an MLIR type, null for what is not static; of a scalar, no axes."""
    if not is_array(kind):
        return ()
    return tuple(None if kind.is_dynamic_dim(axis) else kind.get_dim_size(axis) for axis in range(kind.rank))


def elements_of(kind: Any) -> int:
    """Returns the elements of a type of static shape; of a scalar, 1."""
    return math.prod(extent for extent in shape_of(kind) if extent is not None)


def dtype_of(kind: Any) -> str:
    """Returns the element type as MLIR writes it."""
    return str(kind.element_type) if isinstance(kind, ir.ShapedType) else str(kind)


def is_float(dtype: str) -> bool:
    """Returns whether an element type is a floating-point one, of 8 bits or more."""
    return _FLOAT.match(dtype) is not None
