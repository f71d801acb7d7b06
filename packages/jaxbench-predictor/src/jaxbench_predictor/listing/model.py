"""What a listing says, as typed values. Vector operations are left out: they decide no time but their bundle's."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


class ListingError(ValueError):
    """A listing does not have the form that this package knows; the message says where."""


@dataclass(frozen=True, slots=True)
class Value:
    """A scalar or predicate by its SSA name, and the physical register that holds it."""

    name: str
    register: str


@dataclass(frozen=True, slots=True)
class Immediate:
    """A number; integers are 32-bit, unsigned."""

    value: int | float


@dataclass(frozen=True, slots=True)
class Symbol:
    """The address of an allocation, plus an offset in the unit of its memory."""

    allocation: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Address:
    """A memory reference such as `[smem:[%s1 + %s2]]`: the sum of its terms."""

    space: str
    terms: tuple["Value | Immediate | Symbol", ...]


@dataclass(frozen=True, slots=True)
class Token:
    """The result of an operation that yields no scalar, such as `%123` of a `vpush`."""

    name: str


@dataclass(frozen=True, slots=True)
class Vector:
    """A vector or mask, of which nothing is known."""

    name: str


Operand = Value | Immediate | Symbol | Address | Token | Vector


@dataclass(frozen=True, slots=True)
class Predicate:
    """The condition under which an operation takes effect."""

    name: str
    negated: bool


@dataclass(frozen=True, slots=True)
class Op:
    """One operation that yields a scalar, or has an effect outside the vector registers."""

    opcode: str
    result: Value | Token | None
    operands: tuple[Operand, ...]
    labels: tuple[str | None, ...]
    """The name that the listing gives to each operand, such as `size_in_granules`."""
    predicate: Predicate | None
    otherwise: Operand | None
    """What the result is where the predicate does not hold, for a select such as `smov (!%p, %old), new`."""
    attributes: tuple[tuple[str, str], ...]
    """Bracketed settings, such as `("thread", "1")`, and the target of a branch."""
    comment: str
    """All comments of the operation."""

    def labelled(self, label: str) -> Operand:
        """Returns the operand called `label`. Raises ListingError when there is none."""
        for name, operand in zip(self.labels, self.operands, strict=True):
            if name == label:
                return operand
        raise ListingError(f"{self.opcode} has no operand {label!r}")

    def attribute(self, name: str) -> str | None:
        """Returns the value of a setting, or None."""
        return next((value for key, value in self.attributes if key == name), None)


@dataclass(frozen=True, slots=True)
class Listing:
    """The schedule of one program: `bundles[i]` is what issues in cycle i when nothing branches or waits."""

    name: str
    bundles: tuple[tuple[Op, ...], ...]
    loop_headers: frozenset[int]
    """Indices of bundles that begin a loop body."""
    vector_stores: Mapping[int, tuple[Value | Symbol | None, ...]] = field(default_factory=dict[int, Any])
    """By index of a bundle that writes VMEM, where the addresses start; None where the listing does not say."""
    matmul_flops: tuple[int, ...] = ()
    """Floating-point operations that each bundle gives to matrix units of 256 x 256; empty where not counted."""
