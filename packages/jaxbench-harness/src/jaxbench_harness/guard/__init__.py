"""Guard: reads a Program as data and refuses what no kernel of a workload needs. Executes nothing."""

from jaxbench_harness.guard.faults import GuardFault
from jaxbench_harness.guard.program import Guarded, guard
from jaxbench_harness.guard.reading import MOSAIC_CALL
from jaxbench_harness.guard.skeleton import differences

__all__ = ["MOSAIC_CALL", "GuardFault", "Guarded", "differences", "guard"]
