"""Guards one Program."""

from dataclasses import dataclass

from jax import export
from jax._src.interpreters import mlir  # the public jax.extend.mlir has no context with JAX's dialects
from jax.extend.mlir import ir
from jaxlib.mosaic.python import tpu

from jaxbench_harness.guard.envelope import check_envelope
from jaxbench_harness.guard.faults import GuardFault, RefusedError
from jaxbench_harness.guard.kernels import read_kernel
from jaxbench_harness.guard.operations import check_operations
from jaxbench_harness.guard.reading import functions_of
from jaxbench_harness.guard.report import report_of
from jaxbench_harness.guard.skeleton import Skeleton, skeleton_of
from jaxbench_harness.program import Program
from jaxbench_harness.records import FailureCode, ProgramReport, one_line
from jaxbench_harness.workload import Workload


@dataclass(frozen=True)
class Guarded:
    """A Program that passed, ready to be called or compiled.

    Attributes:
        exported: It, deserialized.
        report: What it is made of.
        skeleton: Which computations it holds, without the shapes.
    """

    exported: export.Exported
    report: ProgramReport
    skeleton: Skeleton

    @property
    def kernels(self) -> int:
        """Mosaic kernels in it, counted in the StableHLO."""
        return self.report.kernel_count


def guard(program: Program, workload: Workload) -> Guarded | GuardFault:
    """Checks one Program against what the workload specifies for its size.

    Deserialization, the arguments and result, effects, every operation and every kernel are checked; nothing is
    executed.
    """
    try:
        exported = export.deserialize(bytearray(program.content))
        check_envelope(exported, program, workload)
        return _read(exported, program, workload)
    except RefusedError as error:
        return error.fault
    except Exception as error:  # noqa: BLE001 - the bytes come from a process that ran candidate code
        return GuardFault(FailureCode.PROTOCOL, one_line(f"the Program cannot be read: {type(error).__name__} {error}"))


def _read(exported: export.Exported, program: Program, workload: Workload) -> Guarded:
    context = mlir.make_ir_context()
    tpu.register_dialect(context)
    with context, ir.Location.unknown():
        module = ir.Module.parse(exported.mlir_module())
        calls = check_operations(module, exported)
        kernels = {call: read_kernel(call) for call in calls}
        report = report_of(module, kernels, workload, program.size)
        return Guarded(exported, report, skeleton_of(functions_of(module), kernels))
