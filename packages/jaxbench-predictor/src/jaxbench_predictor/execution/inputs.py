"""What is known of the contents of integer inputs, and where inputs lie in HBM."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from jaxbench_predictor.hlo.module import HloModule
from jaxbench_predictor.hlo.shapes import Shape

GRANULE_BYTES = 32
_FIRST = 1 << 30
"""Address in granules of the first entry parameter: above all allocations."""

_DEFAULT_GRANULES = 1 << 23
"""Room for a parameter of unknown size: 256 MiB."""

_ALIGNMENT = 1 << 18
_MAX_PARAMETERS = 255


@dataclass(frozen=True)
class Inputs:
    """Contents of entry parameters, for programs whose control flow depends on them.

    Attributes:
        words: By position of the parameter, its 32-bit words in the order in which they lie in HBM.
        arrays: By position, an array of integers or booleans; it is laid out as the compiler says.
    """

    words: Mapping[int, Sequence[int]] = field(default_factory=dict[int, Sequence[int]])
    arrays: Mapping[int, NDArray[Any]] = field(default_factory=dict[int, NDArray[Any]])


class ParameterAddresses:
    """Gives each entry parameter a place in HBM that is as large as it is."""

    def __init__(self, module: HloModule) -> None:
        """Reads the sizes of parameters from a module; an empty one leaves them unknown."""
        self._starts: list[int] = []
        start = _FIRST
        for parameter in module.entry_parameters:
            self._starts.append(start)
            size = parameter.shape.byte_size if isinstance(parameter.shape, Shape) else 0
            start += -(-max(size, 1) // (GRANULE_BYTES * _ALIGNMENT)) * _ALIGNMENT

    def address(self, position: int) -> int:
        """Returns the HBM address, in granules, of an entry parameter.

        Raises:
            ValueError: There are more, or larger ones, than 32-bit addresses tell apart.
        """
        if position >= _MAX_PARAMETERS:
            raise ValueError(f"entry parameter {position}; at most {_MAX_PARAMETERS} are told apart")
        if not self._starts:
            return _FIRST + position * _DEFAULT_GRANULES
        if position >= len(self._starts) or self._starts[position] >= 1 << 32:
            raise ValueError(f"entry parameter {position} of {len(self._starts)} has no address")
        return self._starts[position]
