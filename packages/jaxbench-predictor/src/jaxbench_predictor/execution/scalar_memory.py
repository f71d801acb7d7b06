"""Scalar memory: words by address, unknown until written."""

from collections.abc import Sequence

from jaxbench_predictor.execution.values import WORD, Scalar, Unknown, known

ALLOCATION_SHIFT = 18
"""Each allocation begins at its own multiple of 2**18 units of its memory, which none exceeds."""


class ScalarMemory:
    """Words of SMEM."""

    def __init__(self) -> None:
        self._words: dict[int, Scalar] = {}
        self._regions: list[tuple[int, int, Unknown]] = []

    def load(self, a: Scalar, b: Scalar = 0, c: Scalar = 0) -> Scalar:
        """Returns the word at the sum of three addresses."""
        address = (a + b + c) & WORD
        if isinstance(address, Unknown):
            return address
        word = self._words.get(address)
        return self._missing(address) if word is None else word

    def store(self, address: Scalar, value: Scalar, condition: Scalar) -> None:
        """Writes a word where the condition holds.

        Raises:
            UnpredictableError: The address is unknown.
        """
        if isinstance(condition, Unknown):
            self._words[known(address, "the address of a store to SMEM")] = condition
        elif condition:
            self._words[known(address, "the address of a store to SMEM")] = value

    def fill(self, address: int, words: Sequence[int]) -> None:
        """Writes consecutive words."""
        self._words.update(enumerate(words, start=address))

    def forget(self, address: int, count: int, origin: str) -> None:
        """Makes `count` words unknown, as coming from `origin`."""
        for key in range(address, address + count):
            self._words.pop(key, None)
        self._regions = [region for region in self._regions if region[:2] != (address, address + count)]
        self._regions.append((address, address + count, Unknown(origin)))

    def release(self, allocations: frozenset[int]) -> None:
        """Forgets the allocations with these numbers: what a finished program leaves is nobody's."""
        for key in [key for key in self._words if key >> ALLOCATION_SHIFT in allocations]:
            del self._words[key]

    def _missing(self, address: int) -> Unknown:
        for low, high, unknown in reversed(self._regions):
            if low <= address < high:
                return unknown
        return Unknown("a word of scalar memory that the program did not write")
