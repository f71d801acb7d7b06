"""What the interpreter asks of a memory model."""

from enum import StrEnum
from typing import NamedTuple, Protocol


class Space(StrEnum):
    """A memory that a DMA reads or writes."""

    HBM = "hbm"
    VMEM = "vmem"
    SMEM = "smem"
    CMEM = "cmem"


class Transfer(NamedTuple):
    """One DMA."""

    issue_cycle: float
    """When the core issues it."""
    nbytes: int
    """Bytes that it moves."""
    source: Space
    """Memory that it reads."""
    destination: Space
    """Memory that it writes."""
    priority: int
    """The `thread` of the listing: 1 is a low-priority prefetch."""

    @property
    def hbm_bytes(self) -> int:
        """Bytes read from HBM plus bytes written to it."""
        return self.nbytes * ((self.source is Space.HBM) + (self.destination is Space.HBM))


class MemoryModel(Protocol):
    """Decides when transfers are done. Transfers are issued in order of time."""

    def issue(self, transfer: Transfer) -> int:
        """Takes a transfer; returns a number for it."""
        ...

    def done_at(self, number: int) -> float:
        """Returns the cycle in which the core sees a transfer done, if nothing else is issued before then.

        The core issues nothing while it waits, so the answer is final by the time it is acted on.
        """
        ...

    def moved_in(self, number: int) -> tuple[float, float]:
        """Returns the cycles in which the first and the last byte of a transfer are moved."""
        ...

    @property
    def busy_cycles(self) -> float:
        """Cycles in which HBM moved data so far."""
        ...
