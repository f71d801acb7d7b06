"""Executes a schedule once, and keeps what its time depends on: when it starts transfers and what it waits for.

Control flow depends on no time, so the record of one execution serves every model of the memory system.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from jaxbench_predictor.execution.core import Execution, execute
from jaxbench_predictor.execution.inputs import Inputs
from jaxbench_predictor.execution.scalar_memory import ScalarMemory
from jaxbench_predictor.execution.sync_flags import Release, SyncFlags
from jaxbench_predictor.listing.schedule import TOP_LEVEL, Schedule
from jaxbench_predictor.machines import Machine
from jaxbench_predictor.memory import Space, Transfer
from numpy.typing import NDArray

WAIT = -1
"""What `bytes_read` holds for an event that is a wait."""


class Record(NamedTuple):
    """The events of one execution in order: transfers issued, and waits for one transfer each.

    Attributes:
        cycles: Bundles executed before each event, had nothing been waited for.
        bytes_read: Bytes that a transfer reads from HBM; `WAIT` for a wait.
        bytes_written: Bytes that it writes to HBM; for a wait, the number of the transfer.
        top_level: 1 for a transfer of the top-level program, 2 for one of low priority, 0 for one of an HLO.
        total: Bundles of the whole execution, explicit delays included.
    """

    cycles: NDArray[np.float64]
    bytes_read: NDArray[np.int64]
    bytes_written: NDArray[np.int64]
    top_level: NDArray[np.int8]
    total: float

    def save(self, path: Path) -> None:
        """Writes the record to a compressed file."""
        np.savez_compressed(path, **self._asdict())

    @classmethod
    def load(cls, path: Path) -> Self:
        """Reads what `save` wrote."""
        with np.load(path) as arrays:
            return cls(**{name: arrays[name] for name in cls._fields[:-1]}, total=float(arrays["total"]))


class _Recorder:
    """A memory in which every transfer is done at once, and which keeps them."""

    def __init__(self) -> None:
        self.events: list[tuple[float, int, int, int]] = []
        self._transfers = 0
        self.busy_cycles = 0.0

    def issue(self, transfer: Transfer) -> int:
        """Keeps a transfer; returns its number."""
        read = transfer.nbytes * (transfer.source is Space.HBM)
        written = transfer.nbytes * (transfer.destination is Space.HBM)
        self.events.append((transfer.issue_cycle, read, written, 2 * transfer.priority))
        self._transfers += 1
        return self._transfers - 1

    def done_at(self, number: int) -> float:
        """Returns a time after everything else, in the order of issue, so that nothing is done before it is needed."""
        return 1e15 + number

    def wait(self, now: float, number: int) -> None:
        """Keeps a wait."""
        self.events.append((now, WAIT, number, 0))


class _RecordingFlags(SyncFlags):
    """Sync flags that never stall, and note which transfers a wait needs."""

    def __init__(self, recorder: _Recorder) -> None:
        super().__init__(recorder)
        self._recorder = recorder
        self._needed: list[int] = []

    def expect(self, address: int, number: int, amount: int, site: int) -> None:
        """Lets transfer `number` add to a flag; its number stands for its site."""
        super().expect(address, number, amount, number)

    def wait(self, address: int, holds: Callable[[int], bool], now: float) -> Release:
        """Notes the transfers that are needed, and goes on at once."""
        before = [number for number, _, _ in self._flag(address).pending]
        super().wait(address, holds, now)
        after = {number for number, _, _ in self._flag(address).pending}
        for number in before:
            if number not in after:
                self._recorder.wait(now, number)
        return Release(now, None)


class _KnownOperands(ScalarMemory):
    """Scalar memory that gets the content of some operands from outside."""

    def __init__(self, operands: Mapping[str, Sequence[int]]) -> None:
        super().__init__()
        self._operands = {f"the content of {name}": list(words) for name, words in operands.items()}

    def forget(self, address: int, count: int, origin: str) -> None:
        """Writes the content of an operand where it is known."""
        super().forget(address, count, origin)
        self.fill(address, self._operands.get(origin, [])[:count])


def record(
    schedule: Schedule, machine: Machine, inputs: Inputs, operands: Mapping[str, Sequence[int]]
) -> tuple[Record, Execution]:
    """Executes a schedule; returns its record, and the execution without waits.

    Args:
        schedule: The schedule.
        machine: What it was compiled for.
        inputs: Contents of parameters.
        operands: Contents of kernels' operands, by the interpreter's name for them.

    Raises:
        UnpredictableError: Its time cannot be told.
        ListingError: It has a form that is not known.
    """
    recorder = _Recorder()
    execution = execute(schedule, machine, recorder, inputs, flags=_RecordingFlags(recorder), smem=_KnownOperands(operands))
    cycles, read, written, kind = zip(*recorder.events, strict=True) if recorder.events else ((), (), (), ())
    kept = Record(
        np.array(cycles, np.float64),
        np.array(read, np.int64),
        np.array(written, np.int64),
        np.array(kind, np.int8),
        execution.cycles,
    )
    return kept, execution


__all__ = ["TOP_LEVEL", "WAIT", "Record", "record"]
