"""The memory model as a function of a record, compiled, so that a fit over all programs takes a minute.

One first-in first-out server for all HBM traffic, as `FifoServer` of the package, with variations that were tried.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from jaxbench_calibration.recording import Record


class Memory(NamedTuple):
    """Constants of the memory system, in cycles of the core.

    Attributes:
        rate: Bytes per cycle.
        latency: From the end of a transfer until it is seen.
        sustained_rate: Bytes per cycle of transfers that begin after `sustained_after`.
        sustained_after: Cycles since the program began.
        write_share: Rate of writes over that of reads.
        turnaround: Pause where the direction changes.
    """

    rate: float
    latency: float
    sustained_rate: float = 0.0
    sustained_after: float = math.inf
    write_share: float = 1.0
    turnaround: float = 0.0


def replay(record: Record, memory: Memory, slowdown: float = 0.0, *, yielding: bool = False) -> float:
    """Returns the cycles of a record.

    Args:
        record: The record.
        memory: The memory system.
        slowdown: Cycles lost per cycle of work of the matrix units.
        yielding: Whether prefetches of low priority get only what other transfers leave.
    """
    cycles = record.cycles + slowdown * record.matmul_cycles
    total = record.total_cycles + slowdown * record.total_matmul_cycles
    if yielding:
        low = record.low_priority
        return total + _yielding(cycles, record.read, record.written, low, memory)
    return total + _fifo(cycles, record.read, record.written, memory)


@njit(cache=True)
def _fifo(cycles: NDArray[np.float64], read: NDArray[np.int64], written: NDArray[np.int64], memory: Memory) -> float:
    """Returns the cycles lost in waits."""
    done = np.zeros(len(cycles))
    count = 0
    stalled = 0.0
    free = 0.0
    writing = False
    for i in range(len(cycles)):
        now = cycles[i] + stalled
        if read[i] < 0:
            stalled += max(0.0, done[written[i]] - now)
            continue
        done[count] = now
        if read[i] + written[i] > 0:
            begin = max(free, now)
            if writing != (written[i] > 0):
                begin += memory.turnaround
            writing = written[i] > 0
            rate = memory.rate if begin < memory.sustained_after else memory.sustained_rate
            free = begin + (read[i] + written[i] / memory.write_share) / rate
            done[count] = free + memory.latency
        count += 1
    return stalled


@njit(cache=True)
def _yielding(
    cycles: NDArray[np.float64],
    read: NDArray[np.int64],
    written: NDArray[np.int64],
    low: NDArray[np.bool_],
    memory: Memory,
) -> float:
    """As `_fifo`; transfers of low priority progress in the gaps, and go first once they are waited for."""
    done = np.zeros(len(cycles))
    left = np.zeros(len(cycles))
    count = 0
    stalled = 0.0
    free = 0.0
    seen = 0.0
    first = 0
    for i in range(len(cycles)):
        now = cycles[i] + stalled
        gap = max(0.0, now - max(free, seen))
        seen = max(now, free)
        while first < count and gap > 0:
            used = min(gap, left[first])
            left[first] -= used
            gap -= used
            if left[first] > 0:
                break
            first += 1
        if read[i] < 0:
            number = written[i]
            if left[number] > 0:
                free = max(free, now) + left[number]
                left[number] = 0.0
                done[number] = free + memory.latency
            stalled += max(0.0, done[number] - now)
            continue
        done[count] = now
        if read[i] + written[i] > 0:
            begin = max(free, now)
            rate = memory.rate if begin < memory.sustained_after else memory.sustained_rate
            service = (read[i] + written[i]) / rate
            if low[i]:
                left[count] = service
                done[count] = now + service + memory.latency
            else:
                free = begin + service
                done[count] = free + memory.latency
        count += 1
    return stalled
