"""Memory models as functions of a record, compiled, so that fits take seconds."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from jaxbench_calibration.recording import Record


def fifo_cycles(record: Record, bytes_per_cycle: float, latency: float) -> float:
    """Returns the cycles of a record with one first-in first-out server for all HBM traffic (see `FifoServer`)."""
    return _fifo(*record, bytes_per_cycle, latency)


@njit(cache=True)
def _fifo(
    cycles: NDArray[np.float64],
    read: NDArray[np.int64],
    written: NDArray[np.int64],
    kind: NDArray[np.int8],
    total: float,
    bytes_per_cycle: float,
    latency: float,
) -> float:
    done = np.zeros(len(cycles))
    count = 0
    stalled = 0.0
    free = 0.0
    for i in range(len(cycles)):
        now = cycles[i] + stalled
        if read[i] < 0:
            stalled += max(0.0, done[written[i]] - now)
        else:
            moved = read[i] + written[i]
            done[count] = now
            if moved:
                free = max(free, now) + moved / bytes_per_cycle
                done[count] = free + latency
            count += 1
    return total + stalled
