"""What is known of the contents of integer inputs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

PARAMETER_SHIFT = 24
"""Each entry parameter begins at its own multiple of 2**24 granules (512 MiB) of HBM."""

_WORDS_PER_GRANULE = 8
_MAX_PARAMETERS = (1 << (32 - PARAMETER_SHIFT)) - 1


@dataclass(frozen=True)
class Inputs:
    """Contents of entry parameters, for programs whose control flow depends on them.

    Attributes:
        words: By position of the parameter, its 32-bit words in the order in which they lie in HBM. Parameters of more
            than 512 MiB are not told from the one after them.
    """

    words: Mapping[int, Sequence[int]] = field(default_factory=dict[int, Sequence[int]])

    def read(self, address: int, count: int) -> Sequence[int] | None:
        """Returns `count` words from an HBM address in granules, padded with zeros; None when they are not known."""
        content = self.words.get(parameter_of(address))
        if content is None:
            return None
        first = (address & ((1 << PARAMETER_SHIFT) - 1)) * _WORDS_PER_GRANULE
        words = [word & 0xFFFFFFFF for word in content[first : first + count]]
        return words + [0] * (count - len(words))


def parameter_address(position: int) -> int:
    """Returns the HBM address, in granules, of an entry parameter.

    Raises:
        ValueError: There are more parameters than 32-bit addresses tell apart.
    """
    if position >= _MAX_PARAMETERS:
        raise ValueError(f"entry parameter {position}; at most {_MAX_PARAMETERS} are told apart")
    return (position + 1) << PARAMETER_SHIFT


def parameter_of(address: int) -> int:
    """Returns the position of the entry parameter that an HBM address in granules lies in."""
    return (address >> PARAMETER_SHIFT) - 1
