"""Executes a schedule once, and keeps what its time depends on: when it starts transfers and what it waits for.

Control flow depends on no time, so the record of one execution serves every model of the memory system.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from jaxbench_predictor.execution.core import execute
from jaxbench_predictor.execution.inputs import Inputs
from jaxbench_predictor.execution.scalar_memory import ScalarMemory
from jaxbench_predictor.execution.sync_flags import Release, SyncFlags
from jaxbench_predictor.listing.schedule import Schedule
from jaxbench_predictor.machines import Constant, Machine, Standing
from jaxbench_predictor.memory import Space, Transfer

WAIT = -1
"""What `read` holds for an event that is a wait."""

_NEVER = 1e15
"""A cycle after every other."""


class Record(NamedTuple):
    """The events of one execution in order: transfers issued, and waits for one transfer each.

    Attributes:
        cycles: Bundles executed before each event, had nothing been waited for.
        matmul_cycles: Cycles of work of the matrix units before each event, at their peak.
        read: Bytes that a transfer reads from HBM; `WAIT` for a wait.
        written: Bytes that it writes to HBM; for a wait, the number of the transfer.
        low_priority: Whether a transfer is a prefetch of low priority.
        total_cycles: Bundles of the whole execution, explicit delays included.
        total_matmul_cycles: Work of the matrix units in all of it.
    """

    cycles: NDArray[np.float64]
    matmul_cycles: NDArray[np.float64]
    read: NDArray[np.int64]
    written: NDArray[np.int64]
    low_priority: NDArray[np.bool_]
    total_cycles: float
    total_matmul_cycles: float

    def save(self, path: Path) -> None:
        """Writes the record to a compressed file; differences, because they repeat."""
        transfers = np.cumsum(self.read != WAIT)
        np.savez_compressed(
            path,
            cycles=np.diff(self.cycles, prepend=0).astype(np.int32),
            matmul_cycles=np.diff(self.matmul_cycles, prepend=0).astype(np.float32),
            read=self.read.astype(np.int32),
            written=np.where(self.read == WAIT, transfers - self.written, self.written).astype(np.int32),
            low_priority=self.low_priority,
            totals=np.array([self.total_cycles, self.total_matmul_cycles]),
        )

    @classmethod
    def load(cls, path: Path) -> Self:
        """Reads what `save` wrote."""
        with np.load(path) as kept:
            read, written = kept["read"].astype(np.int64), kept["written"].astype(np.int64)
            transfers = np.cumsum(read != WAIT)
            return cls(
                np.cumsum(kept["cycles"], dtype=np.float64),
                np.cumsum(kept["matmul_cycles"], dtype=np.float64),
                read,
                np.where(read == WAIT, transfers - written, written),
                kept["low_priority"],
                *kept["totals"].tolist(),
            )


def record(schedule: Schedule, machine: Machine, inputs: Inputs, operands: Mapping[str, Sequence[int]]) -> Record:
    """Executes a schedule and returns its record.

    Args:
        schedule: The schedule.
        machine: What it was compiled for.
        inputs: Contents of parameters.
        operands: Contents of kernels' operands, by the interpreter's name for them.

    Raises:
        UnpredictableError: Its time cannot be told.
        ListingError: It has a form that is not known.
    """
    plain, total = _events(schedule, _with_slowdown(machine, 0), inputs, operands)
    slowed, slowed_total = _events(schedule, _with_slowdown(machine, 1), inputs, operands)
    cycles = plain[:, 0]
    return Record(
        cycles,
        slowed[:, 0] - cycles,
        plain[:, 1].astype(np.int64),
        plain[:, 2].astype(np.int64),
        plain[:, 3] > 0,
        total,
        slowed_total - total,
    )


def _with_slowdown(machine: Machine, slowdown: float) -> Machine:
    constant = Constant(value=slowdown, standing=Standing.PROVISIONAL, source="to tell the work") if slowdown else None
    return machine.model_copy(update={"matmul_slowdown": constant})


def _events(
    schedule: Schedule, machine: Machine, inputs: Inputs, operands: Mapping[str, Sequence[int]]
) -> tuple[NDArray[np.float64], float]:
    recorder = _Recorder()
    execution = execute(
        schedule, machine, recorder, inputs, flags=_RecordingFlags(recorder), smem=_KnownOperands(operands)
    )
    return np.array(recorder.events, np.float64).reshape(-1, 4), execution.cycles


class _Recorder:
    """A memory that keeps what it is asked for."""

    def __init__(self) -> None:
        self.events: list[tuple[float, int, int, int]] = []
        self.busy_cycles = 0.0
        self._transfers = 0

    def issue(self, transfer: Transfer) -> int:
        """Keeps a transfer; returns its number."""
        read = transfer.nbytes * (transfer.source is Space.HBM)
        written = transfer.nbytes * (transfer.destination is Space.HBM)
        self.events.append((transfer.issue_cycle, read, written, transfer.priority))
        self._transfers += 1
        return self._transfers - 1

    def done_at(self, number: int) -> float:
        """Returns a time after everything else, in the order of issue: nothing is done before it is needed."""
        return _NEVER + number

    def wait(self, now: float, number: int) -> None:
        """Keeps a wait."""
        self.events.append((now, WAIT, number, 0))


class _RecordingFlags(SyncFlags):
    """Sync flags that never stall, and note which transfers a wait needs."""

    def __init__(self, recorder: _Recorder) -> None:
        super().__init__(recorder)
        self._recorder = recorder

    def wait(self, address: int, holds: Callable[[int], bool], now: float) -> Release:
        """Notes the transfers that are needed, and goes on at once."""
        before = self.pending(address)
        super().wait(address, holds, now)
        after = set(self.pending(address))
        for number in before:
            if number not in after:
                self._recorder.wait(now, number)
        return Release(now, None)


class _KnownOperands(ScalarMemory):
    """Scalar memory that gets the content of some operands from outside."""

    def __init__(self, operands: Mapping[str, Sequence[int]]) -> None:
        super().__init__()
        self._operands = {f"the content of {name}": words for name, words in operands.items()}

    def forget(self, address: int, count: int, origin: str) -> None:
        """Writes the content of an operand where it is known."""
        super().forget(address, count, origin)
        self.fill(address, self._operands.get(origin, ())[:count])
