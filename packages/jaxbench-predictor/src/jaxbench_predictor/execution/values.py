"""Values of scalar registers: 32-bit unsigned integers, booleans for predicates, and what is not known."""

from typing import Any, Final, Self


class UnpredictableError(Exception):
    """The time of a program cannot be told from its schedule; the message says why in one line."""


class Unknown:
    """A value that is not known. Arithmetic with it yields it again; to decide with it is an error.

    It absorbs operations instead of being checked for, so that known values are computed at full speed.
    """

    __slots__ = ("origin",)

    def __init__(self, origin: str) -> None:
        """Remembers `origin`, where the value would have come from."""
        self.origin: Final = origin

    def __bool__(self) -> bool:
        raise UnpredictableError(f"a decision depends on {self.origin}")

    def _absorb(self, _: Any) -> Self:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _absorb
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __xor__ = __rxor__ = _absorb
    __lt__ = __le__ = __gt__ = __ge__ = _absorb

    def __eq__(self, other: object) -> Any:
        return self

    def __ne__(self, other: object) -> Any:
        return self

    __hash__ = object.__hash__

    def __and__(self, other: Any) -> "Unknown | int":
        """Zero and false decide a conjunction whatever the rest is."""
        return other if other is False or (other == 0) is True else self

    __rand__ = __and__

    def __or__(self, other: Any) -> "Unknown | bool":
        """True decides a disjunction; `is` tells it from the integer one."""
        return True if other is True else self

    __ror__ = __or__

    def __repr__(self) -> str:
        return f"Unknown({self.origin!r})"


Scalar = int | Unknown
"""What a register holds; a predicate is a bool, which is an int."""

WORD: Final = 0xFFFFFFFF
_SIGN: Final = 0x80000000


def signed(value: int) -> int:
    """Returns a 32-bit word read as two's complement."""
    return (value ^ _SIGN) - _SIGN


def known(value: Scalar, role: str) -> int:
    """Returns `value`.

    Args:
        value: A scalar.
        role: What it decides, for the message.

    Raises:
        UnpredictableError: It is unknown.
    """
    if isinstance(value, Unknown):
        raise UnpredictableError(f"{role} depends on {value.origin}")
    return value
