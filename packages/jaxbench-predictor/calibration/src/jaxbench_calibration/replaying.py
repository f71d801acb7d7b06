"""Memory models as functions of a record, compiled, so that a fit over all programs takes a minute."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from jaxbench_calibration.recording import Record


def fifo_cycles(record: Record, bytes_per_cycle: float, latency: float, slowdown: float) -> float:
    """Returns the cycles of a record with one first-in first-out server for all HBM traffic (see `FifoServer`).

    Args:
        record: The record.
        bytes_per_cycle: Rate of the server.
        latency: Cycles from the end of a transfer until it is seen.
        slowdown: Cycles lost per cycle of work of the matrix units.
    """
    return split_cycles(record, bytes_per_cycle, bytes_per_cycle, latency, slowdown, 0.0)


def split_cycles(
    record: Record, read_rate: float, write_rate: float, latency: float, slowdown: float, turnaround: float
) -> float:
    """Returns the cycles with rates of their own for reads and writes, and a pause where the direction changes."""
    cycles = record.cycles + slowdown * record.matmul_cycles
    total = record.total_cycles + slowdown * record.total_matmul_cycles
    return _fifo(cycles, record.read, record.written, total, read_rate, write_rate, latency, turnaround)


def yielding_cycles(record: Record, bytes_per_cycle: float, latency: float, slowdown: float) -> float:
    """Returns the cycles where transfers of low priority get only what all others leave."""
    cycles = record.cycles + slowdown * record.matmul_cycles
    total = record.total_cycles + slowdown * record.total_matmul_cycles
    return _yielding(cycles, record.read, record.written, record.low_priority, total, bytes_per_cycle, latency)


@njit(cache=True)
def _fifo(
    cycles: NDArray[np.float64],
    read: NDArray[np.int64],
    written: NDArray[np.int64],
    total: float,
    read_rate: float,
    write_rate: float,
    latency: float,
    turnaround: float,
) -> float:
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
            turns = writing != (written[i] > 0)
            writing = written[i] > 0
            free = max(free, now) + turns * turnaround + read[i] / read_rate + written[i] / write_rate
            done[count] = free + latency
        count += 1
    return total + stalled


@njit(cache=True)
def _yielding(
    cycles: NDArray[np.float64],
    read: NDArray[np.int64],
    written: NDArray[np.int64],
    low: NDArray[np.bool_],
    total: float,
    rate: float,
    latency: float,
) -> float:
    """Ordinary transfers go first; those of low priority progress in the gaps, and are finished when waited for."""
    done = np.zeros(len(cycles))
    left = np.zeros(len(cycles))
    count = 0
    stalled = 0.0
    free = 0.0
    idle_from = 0.0
    first = 0
    for i in range(len(cycles)):
        now = cycles[i] + stalled
        gap = max(0.0, now - max(free, idle_from))
        idle_from = max(now, free)
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
                end = max(free, now) + left[number]
                left[number] = 0.0
                free = end
                done[number] = end + latency
            stalled += max(0.0, done[number] - now)
            continue
        done[count] = now
        moved = (read[i] + written[i]) / rate
        if moved > 0:
            if low[i]:
                left[count] = moved
                done[count] = now + moved + latency
            else:
                free = max(free, now) + moved
                done[count] = free + latency
        count += 1
    return total + stalled
