"""What the scalar opcodes compute, as functions of up to three scalars.

All take three arguments, so that the interpreter's loop has one form; those not used are ignored.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from jaxbench_predictor.execution.values import WORD, Scalar, Unknown, signed

Pure = Callable[[Any, Any, Any], Any]
"""A function of three scalars without side effect."""

_SIGN = 0x80000000
_VECTOR_DATA = Unknown("vector data")


def copy(a: Scalar, _b: Scalar, _c: Scalar) -> Scalar:
    """Returns the first scalar."""
    return a


def negate(a: Scalar, _b: Scalar, _c: Scalar) -> Scalar:
    """Returns the opposite of a predicate."""
    return a ^ True


def select(condition: Scalar, when_true: Scalar, when_false: Scalar) -> Scalar:
    """Returns one of two scalars; unknown where the condition is, unless both are the same."""
    if condition.__class__ is Unknown:
        return when_true if (when_true == when_false) is True else condition
    return when_true if condition else when_false


def total(a: Scalar, b: Scalar, c: Scalar) -> Scalar:
    """Returns the sum of three words: an address."""
    return (a + b + c) & WORD


def remainder(a: Scalar, b: Scalar, _c: Scalar) -> Scalar:
    """Returns the unsigned remainder."""
    return _divided(a, b, lambda x, y: x % y)


def quotient(a: Scalar, b: Scalar, _c: Scalar) -> Scalar:
    """Returns the unsigned quotient."""
    return _divided(a, b, lambda x, y: x // y)


def unmodelled(origin: str) -> Pure:
    """Returns a function whose result is unknown: for what its first unknown operand is, or else for `origin`."""
    unknown = Unknown(origin)

    def result(*operands: Scalar) -> Unknown:
        return next((operand for operand in operands if isinstance(operand, Unknown)), unknown)

    return result


def _divided(a: Scalar, b: Scalar, divide: Callable[[int, int], int]) -> Scalar:
    if isinstance(a, Unknown):
        return a
    if isinstance(b, Unknown):
        return b
    return divide(a, b) if b else Unknown("a division by zero")


def _shift_left(a: Scalar, n: Scalar, _c: Scalar) -> Scalar:
    if isinstance(n, Unknown):
        return n
    return (a << n) & WORD if n < 32 else 0


def _shift_right(a: Scalar, n: Scalar, _c: Scalar) -> Scalar:
    return n if isinstance(n, Unknown) else a >> n


def _shift_right_signed(a: Scalar, n: Scalar, _c: Scalar) -> Scalar:
    if isinstance(a, Unknown):
        return a
    return n if isinstance(n, Unknown) else (signed(a) >> n) & WORD


def _smallest(key: int) -> Pure:
    def smallest(a: Scalar, b: Scalar, _c: Scalar) -> Scalar:
        return select((a ^ key) < (b ^ key), a, b)

    return smallest


def _largest(key: int) -> Pure:
    def largest(a: Scalar, b: Scalar, _c: Scalar) -> Scalar:
        return select((a ^ key) > (b ^ key), a, b)

    return largest


_COMPARISONS: Mapping[str, Callable[[int], Pure]] = {
    # Signed words compare as unsigned ones with the sign bit flipped.
    "lt": lambda key: lambda a, b, _: (a ^ key) < (b ^ key),
    "le": lambda key: lambda a, b, _: (a ^ key) <= (b ^ key),
    "gt": lambda key: lambda a, b, _: (a ^ key) > (b ^ key),
    "ge": lambda key: lambda a, b, _: (a ^ key) >= (b ^ key),
    "eq": lambda _: lambda a, b, _c: a == b,
    "ne": lambda _: lambda a, b, _c: a != b,
}

_KEYS: Mapping[str, int] = {"s32": _SIGN, "u32": 0}


def _arithmetic() -> Mapping[str, Pure]:
    by_name: dict[str, Pure] = {
        "sadd": lambda a, b, _: (a + b) & WORD,
        "ssub": lambda a, b, _: (a - b) & WORD,
        "smul": lambda a, b, _: (a * b) & WORD,
        "sand": lambda a, b, _: a & b,
        "sor": _bits_or,
        "sxor": lambda a, b, _: a ^ b,
        "sshll": _shift_left,
        "sshrl": _shift_right,
    }
    functions = {f"{name}.{kind}": function for name, function in by_name.items() for kind in _KEYS}
    functions["sshra.s32"] = _shift_right_signed
    functions["sc.u32"] = lambda a, b, _: (a + b) > WORD
    for kind, key in _KEYS.items():
        functions[f"smin.{kind}"] = _smallest(key)
        functions[f"smax.{kind}"] = _largest(key)
        for name, comparison in _COMPARISONS.items():
            functions[f"scmp.{name}.{kind}.totalorder"] = comparison(key)
    return functions


def _bits_or(a: Scalar, b: Scalar, _c: Scalar) -> Scalar:
    return a | b


PURE: Mapping[str, Pure] = MappingProxyType(
    {
        **_arithmetic(),
        "smov": copy,
        "pmov": copy,
        "reloc": copy,
        "spop": lambda _a, _b, _c: _VECTOR_DATA,
        "spop.drf": copy,
        "scalar_select": select,
        "pneg": negate,
        "por": lambda a, b, _: a | b,
        "pand": lambda a, b, _: a & b,
        "pxor": lambda a, b, _: a ^ b,
        "pnand": lambda a, b, _: (a & b) ^ True,
        "pnor": lambda a, b, _: (a | b) ^ True,
        **{f"scalar_lea.{space}": total for space in ("hbm", "vmem", "smem", "sflag", "cmem")},
        **{f"int_to_ptr.{space}": copy for space in ("hbm", "vmem", "smem", "sflag", "cmem")},
    }
)
"""Opcodes whose result follows from their operands alone, by name. Any other scalar result is unknown."""

IGNORED = frozenset(
    {
        "compiler-scheduling-barrier",
        "sfence",
        "shalt.err",
        "vpush",
        "vsetiar.raw.iar0",
        "vsetiar.raw.iar1",
        "vsetrngseed",
        "vsettm",
        "vsyncmov",
        "vsyncpa",
        "vtrace",
    }
)
"""Opcodes that cost their bundle and have no other effect on time.

Bounds checks (`shalt.err`) are assumed to pass. What `vsyncmov` reads of a sync flag counts as unknown.
"""
