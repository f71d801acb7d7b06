"""What elementwise instructions compute, exactly as a TPU does; floating-point ones only where rounding is exact."""

import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from jaxbench_predictor.hlo.module import Instruction
from jaxbench_predictor.hlo.shapes import Array, UnevaluableError

_COMPARISONS: Mapping[str, Callable[[Array, Array], Array]] = {
    "EQ": operator.eq,
    "NE": operator.ne,
    "LT": operator.lt,
    "LE": operator.le,
    "GT": operator.gt,
    "GE": operator.ge,
}


def compare(instruction: Instruction, a: Array, b: Array) -> Array:
    """Evaluates `compare`."""
    return np.asarray(_COMPARISONS[instruction.attributes["direction"]](a, b))


def convert(instruction: Instruction, a: Array) -> Array:
    """Evaluates `convert`.

    Raises:
        UnevaluableError: A number that the type does not hold.
    """
    dtype = instruction.array_shape().numpy_dtype
    if dtype == np.bool_:
        return a != 0
    if a.dtype.kind == "f" and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        whole = np.trunc(a.astype(np.float64))
        if not np.all((whole >= limits.min) & (whole <= limits.max)):
            raise UnevaluableError("a number that its integer type does not hold")
        return whole.astype(dtype)
    return a.astype(dtype)


def _divisor(b: Array) -> Array:
    if not np.all(b):
        raise UnevaluableError("a division by zero")
    return b


def _divide(a: Array, b: Array) -> Array:
    _integral(a)
    quotient = np.abs(a.astype(np.int64)) // np.abs(_divisor(b).astype(np.int64))
    return (np.sign(a.astype(np.int64)) * np.sign(b.astype(np.int64)) * quotient).astype(a.dtype)


def _remainder(a: Array, b: Array) -> Array:
    return np.fmod(_integral(a), _divisor(b))


def _integral(a: Array) -> Array:
    if a.dtype.kind == "f":
        raise UnevaluableError("a floating-point operation whose rounding is the chip's own")
    return a


def _shift_left(a: Array, n: Array) -> Array:
    amount, inside = _amount(a, n)
    return np.where(inside, np.left_shift(a, amount), 0).astype(a.dtype)


def _shift_right(a: Array, n: Array) -> Array:
    amount, inside = _amount(a, n)
    bits = a.view(np.dtype(f"u{a.dtype.itemsize}"))
    return np.where(inside, np.right_shift(bits, amount.view(bits.dtype)), 0).astype(bits.dtype).view(a.dtype)


def _shift_right_signed(a: Array, n: Array) -> Array:
    amount, inside = _amount(a, n)
    signed = a.view(np.dtype(f"i{a.dtype.itemsize}"))
    most = signed.dtype.itemsize * 8 - 1
    return np.right_shift(signed, np.where(inside, amount, most).astype(signed.dtype)).view(a.dtype)


def _amount(a: Array, n: Array) -> tuple[Array, Array]:
    inside = (n >= 0) & (n < a.dtype.itemsize * 8)
    return np.where(inside, n, 0).astype(a.dtype), inside


def _not(a: Array) -> Array:
    return np.logical_not(a) if a.dtype == np.bool_ else np.invert(a)


def _add(a: Array, b: Array) -> Array:
    return np.logical_or(a, b) if a.dtype == np.bool_ else a + b


def _multiply(a: Array, b: Array) -> Array:
    return np.logical_and(a, b) if a.dtype == np.bool_ else a * b


UNARY: Mapping[str, Callable[[Array], Array]] = MappingProxyType(
    {
        "abs": np.abs,
        "negate": np.negative,
        "sign": np.sign,
        "not": _not,
        "floor": np.floor,
        "ceil": np.ceil,
        "round-nearest-even": np.rint,
        "copy": np.asarray,
        "optimization-barrier": np.asarray,
        "popcnt": lambda a: np.bitwise_count(a).astype(a.dtype),
    }
)

BINARY: Mapping[str, Callable[[Array, Array], Array]] = MappingProxyType(
    {
        "add": _add,
        "subtract": operator.sub,
        "multiply": _multiply,
        "divide": _divide,
        "remainder": _remainder,
        "maximum": np.maximum,
        "minimum": np.minimum,
        "and": np.bitwise_and,
        "or": np.bitwise_or,
        "xor": np.bitwise_xor,
        "shift-left": _shift_left,
        "shift-right-logical": _shift_right,
        "shift-right-arithmetic": _shift_right_signed,
    }
)


def select(_: Instruction, condition: Array, a: Array, b: Array) -> Array:
    """Evaluates `select`."""
    return np.where(condition, a, b)


def clamp(_: Instruction, low: Array, a: Array, high: Array) -> Array:
    """Evaluates `clamp`."""
    return np.minimum(np.maximum(a, low), high).astype(a.dtype)
