"""Gives every value of a program a place in one list, constants and unknown values included."""

from collections.abc import Hashable

from jaxbench_predictor.execution.inputs import ParameterAddresses
from jaxbench_predictor.execution.scalar_memory import ALLOCATION_SHIFT
from jaxbench_predictor.execution.values import WORD, Scalar, Unknown
from jaxbench_predictor.listing.model import Address, Immediate, Listing, ListingError, Operand, Symbol, Token, Value

_MAX_FOLLOWED = 1000


class Allocations:
    """Gives each allocation of each program an address of its own, the same in whatever memory it lies.

    Attributes:
        parameters: Addresses of entry parameters.
    """

    def __init__(self, parameters: ParameterAddresses) -> None:
        """Begins without allocations."""
        self.parameters = parameters
        self._numbers: dict[tuple[str, str], int] = {}

    def number(self, program: str, allocation: str) -> int:
        """Returns the number of an allocation, from one."""
        return self._numbers.setdefault((program, allocation), len(self._numbers) + 1)

    def add_all(self, listing: Listing) -> None:
        """Numbers the allocations of a listing before those of others.

        The low bits of an address in granules of VMEM tell only so many apart.

        Raises:
            ListingError: There are more.
        """
        for op in (op for bundle in listing.bundles for op in bundle):
            for operand in op.operands:
                terms = operand.terms if isinstance(operand, Address) else (operand,)
                for symbol in (term for term in terms if isinstance(term, Symbol)):
                    if self.number(listing.name, symbol.allocation) >= _MAX_FOLLOWED:
                        raise ListingError(f"more than {_MAX_FOLLOWED} buffers of the top-level program")


class RegisterFile:
    """The places of one program's values.

    Attributes:
        initial: What is in each place when the program begins.
        allocations: Numbers of the allocations that it refers to.
        true: Place of the constant true.
        zero: Place of the constant 0.
    """

    def __init__(self, program: str, numbers: Allocations) -> None:
        """Begins without values; `numbers` is shared by the programs of a core."""
        self.initial: list[Scalar] = []
        self.allocations: set[int] = set()
        self._program = program
        self._numbers = numbers
        self._places: dict[Hashable, int] = {}
        self._unwritten = Unknown(f"a register of {program} before it is written")
        self.true = self.constant(True)
        self.zero = self.constant(0)

    def place(self, key: Hashable, value: Scalar | None = None) -> int:
        """Returns the place of what is called `key`, which holds `value` at first."""
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = len(self.initial)
            self.initial.append(
                Unknown(f"a register of {self._program} before it is written") if value is None else value
            )
        return place

    def constant(self, value: int) -> int:
        """Returns the place of a constant."""
        # False and zero are equal, and must stay apart.
        return self.place(("constant", value.__class__, value), value)

    def parameter(self, position: int) -> int:
        """Returns the place of the address of an entry parameter. Raises ValueError when it has none."""
        return self.constant(self._numbers.parameters.address(position))

    def unknown(self, origin: str) -> int:
        """Returns the place of a value that is never known."""
        return self.place(("unknown", origin), Unknown(origin))

    def of(self, operand: Operand) -> int:
        """Returns the place of an operand."""
        match operand:
            case Value(name) | Token(name):
                return self.place(name)
            case Immediate(int(value)):
                return self.constant(value)
            case Immediate(_):
                return self.unknown("a floating-point number")
            case Symbol(allocation, offset):
                number = self._numbers.number(self._program, allocation)
                self.allocations.add(number)
                return self.constant(((number << ALLOCATION_SHIFT) + offset) & WORD)
            case _:
                return self.unknown("vector data")

    def three(self, *places: int) -> tuple[int, int, int]:
        """Returns up to three places, filled up to three."""
        padded = (*places, self.zero, self.zero, self.zero)
        return padded[0], padded[1], padded[2]
