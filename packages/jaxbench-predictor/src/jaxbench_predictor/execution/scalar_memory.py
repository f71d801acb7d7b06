"""Scalar memory: words by address, unknown until written."""

from jaxbench_predictor.execution.values import WORD, Scalar, Unknown, known

ALLOCATION_SHIFT = 18
"""Each allocation begins at its own multiple of 2**18 units of its memory, which none exceeds."""

_MISSING = Unknown("a word of scalar memory that the program did not write")


class ScalarMemory:
    """Words of SMEM."""

    def __init__(self) -> None:
        self._words: dict[int, Scalar] = {}

    def load(self, a: Scalar, b: Scalar = 0, c: Scalar = 0) -> Scalar:
        """Returns the word at the sum of three addresses."""
        address = (a + b + c) & WORD
        if isinstance(address, Unknown):
            return address
        word = self._words.get(address)
        return _MISSING if word is None else word

    def store(self, address: Scalar, value: Scalar, condition: Scalar) -> None:
        """Writes a word where the condition holds.

        Raises:
            UnpredictableError: The address is unknown.
        """
        if isinstance(condition, Unknown):
            self._words[known(address, "the address of a store to SMEM")] = condition
        elif condition:
            self._words[known(address, "the address of a store to SMEM")] = value

    def put(self, address: int, word: Scalar) -> None:
        """Writes a word, known or not."""
        self._words[address & WORD] = word

    def release(self, allocations: frozenset[int]) -> None:
        """Forgets the allocations with these numbers: what a finished program leaves is nobody's."""
        for key in [key for key in self._words if key >> ALLOCATION_SHIFT in allocations]:
            del self._words[key]
