"""What a program moves from scalar memory to its outputs."""

from jaxbench_predictor.execution.contents import Content, ContentMemory, Untold, words_or_padding
from jaxbench_predictor.execution.inputs import GRANULE_BYTES
from jaxbench_predictor.execution.scalar_memory import ScalarMemory
from jaxbench_predictor.execution.values import WORD, Scalar, Unknown
from jaxbench_predictor.memory import Space

_WORD_BYTES = 4
_MOST_BYTES = 1 << 20
"""Longest transfer whose words are kept."""
_MOST_WRITES = 4096
"""Most transfers that are followed: each is compared with all others."""


class Staging:
    """Contents of the buffers that one run of a program writes by DMA."""

    def __init__(self, smem: ScalarMemory) -> None:
        """Begins with nothing written.

        Args:
            smem: Scalar memory that DMAs read.
        """
        self._smem = smem
        self._memory = ContentMemory()
        self._sources: list[tuple[int, list[int | None]]] = []
        self._writes = 0
        self._certain = True

    def write(self, space: Space, address: Scalar | None, nbytes: int, source: Scalar | None) -> None:
        """Notes a transfer.

        Args:
            space: Memory that it writes.
            address: Where, in granules; anything but a number makes all that was written uncertain.
            nbytes: How much.
            source: Where in scalar memory it reads; None for one that reads another memory.
        """
        self._writes += 1
        if not isinstance(address, int) or self._writes > _MOST_WRITES:
            self.forget()
        if not self._certain or not isinstance(address, int):
            return
        content: Content = Untold("what a kernel writes")
        if isinstance(source, int) and nbytes <= _MOST_BYTES:
            found = self._words(source, nbytes)
            self._sources.append((source, found))
            content = words_or_padding(found)
        self._memory.write(space, (address & WORD) * GRANULE_BYTES, nbytes, content)

    def _words(self, source: int, nbytes: int) -> list[int | None]:
        loaded = [self._smem.load(source, offset) for offset in range(nbytes // _WORD_BYTES)]
        return [None if isinstance(word, Unknown) else word for word in loaded]

    def forget(self) -> None:
        """Takes nothing for certain any more."""
        self._certain = False

    def contents(self) -> ContentMemory | None:
        """Returns what was written, or None where that is uncertain.

        A transfer reads its words some time after it was issued; so they must be the same when the program ends.
        """
        unchanged = all(self._words(source, len(found) * _WORD_BYTES) == found for source, found in self._sources)
        return self._memory if self._certain and unchanged else None
