"""All HBM traffic through one first-in first-out server."""

from jaxbench_predictor.memory.model import Transfer


class FifoServer:
    """Reads and writes share one server; latency comes on top and does not occupy it.

    Latency therefore costs time only where a pipeline has one DMA in flight. Transfers between VMEM and SMEM are free.
    """

    def __init__(self, bytes_per_cycle: float, latency_cycles: float) -> None:
        """Takes the rate of HBM and the latency of a transfer, in cycles of the core."""
        self._bytes_per_cycle = bytes_per_cycle
        self._latency = latency_cycles
        self._free_at = 0.0
        self._done: list[float] = []
        self._busy = 0.0

    def issue(self, transfer: Transfer) -> int:
        """Takes a transfer; returns a number for it."""
        done = transfer.issue_cycle
        if transfer.hbm_bytes:
            service = transfer.hbm_bytes / self._bytes_per_cycle
            self._free_at = max(self._free_at, transfer.issue_cycle) + service
            self._busy += service
            done = self._free_at + self._latency
        self._done.append(done)
        return len(self._done) - 1

    def done_at(self, number: int) -> float:
        """Returns the cycle in which the core sees a transfer done."""
        return self._done[number]

    @property
    def busy_cycles(self) -> float:
        """Cycles in which HBM moved data so far."""
        return self._busy
