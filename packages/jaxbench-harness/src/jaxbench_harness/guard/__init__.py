"""Guard: reads a Program as data and refuses what no kernel of a workload needs. Executes nothing."""

from jaxbench_harness.guard.faults import GuardFault
from jaxbench_harness.guard.kernels import MOSAIC_CALL
from jaxbench_harness.guard.program import Guarded, guard

__all__ = ["MOSAIC_CALL", "GuardFault", "Guarded", "guard"]
