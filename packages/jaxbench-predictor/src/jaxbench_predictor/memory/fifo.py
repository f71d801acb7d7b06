"""All HBM traffic through one first-in first-out server."""

import math

from jaxbench_predictor.memory.model import Transfer


class FifoServer:
    """Reads and writes share one server; latency comes on top and does not occupy it.

    Latency therefore costs time only where a pipeline has one DMA in flight. Transfers between VMEM and SMEM are free.
    Measured programs of many milliseconds move less in each of them than short programs do; so the rate is another one
    after a while.
    """

    def __init__(
        self,
        bytes_per_cycle: float,
        latency_cycles: float,
        *,
        sustained_bytes_per_cycle: float | None = None,
        sustained_after_cycles: float = math.inf,
    ) -> None:
        """Takes the rate of HBM and the latency of a transfer, in cycles of the core.

        Args:
            bytes_per_cycle: Rate at first.
            latency_cycles: From the end of a transfer until the core sees it.
            sustained_bytes_per_cycle: Rate of transfers that begin later; None for the same.
            sustained_after_cycles: When that is, since the program began.
        """
        self._bytes_per_cycle = bytes_per_cycle
        self._sustained = sustained_bytes_per_cycle or bytes_per_cycle
        self._sustained_after = sustained_after_cycles
        self._latency = latency_cycles
        self._free_at = 0.0
        self._begun: list[float] = []
        self._done: list[float] = []
        self._busy = 0.0

    def issue(self, transfer: Transfer) -> int:
        """Takes a transfer; returns a number for it."""
        begin = done = transfer.issue_cycle
        if transfer.hbm_bytes:
            begin = max(self._free_at, transfer.issue_cycle)
            rate = self._bytes_per_cycle if begin < self._sustained_after else self._sustained
            service = transfer.hbm_bytes / rate
            self._free_at = begin + service
            self._busy += service
            done = self._free_at + self._latency
        self._begun.append(begin)
        self._done.append(done)
        return len(self._done) - 1

    def done_at(self, number: int) -> float:
        """Returns the cycle in which the core sees a transfer done."""
        return self._done[number]

    def moved_in(self, number: int) -> tuple[float, float]:
        """Returns the cycles in which the first and the last byte of a transfer are moved."""
        return self._begun[number], max(self._begun[number], self._done[number] - self._latency)

    @property
    def busy_cycles(self) -> float:
        """Cycles in which HBM moved data so far."""
        return self._busy
