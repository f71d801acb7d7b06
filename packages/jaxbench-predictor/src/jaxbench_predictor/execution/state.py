"""The state of the core that operations act on."""

from dataclasses import dataclass, field

from jaxbench_predictor.execution.buffers import Buffers
from jaxbench_predictor.execution.events import Log
from jaxbench_predictor.execution.scalar_memory import ScalarMemory
from jaxbench_predictor.execution.sync_flags import SyncFlags
from jaxbench_predictor.execution.trace import Trace
from jaxbench_predictor.memory import MemoryModel


@dataclass(slots=True)
class State:
    """One core in the middle of an execution."""

    memory: MemoryModel
    flags: SyncFlags
    buffers: Buffers
    smem: ScalarMemory
    granule_bytes: int
    log: Log = field(default_factory=Log)
    trace: Trace | None = None
    """Keeps when things happen, for those who want to see it."""
    prefetched: int = 0
    """DMAs of the top-level program, from now on, that the run before has done already."""
    base: float = 0.0
    """Cycle in which the first bundle of the present block issued, plus the cycles lost in waits since."""
