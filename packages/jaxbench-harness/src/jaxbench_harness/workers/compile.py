"""Worker that guards Programs and cross-compiles the full-size one."""

import importlib.util

from jaxbench_harness.compiling.cross_compile import cross_compile
from jaxbench_harness.compiling.libtpu import NO_LIBTPU
from jaxbench_harness.compiling.messages import CompileAnswer, CompileRequest, GuardRefused
from jaxbench_harness.guard import Guarded, GuardFault, guard
from jaxbench_harness.program import Program
from jaxbench_harness.records import CompileSkipped, Model, Stage
from jaxbench_harness.registry import find_workload
from jaxbench_harness.targets import get_target
from jaxbench_harness.workers.serving import Progress, serve


def handle(body: str, blobs: list[bytes], progress: Progress) -> tuple[Model, list[bytes]]:
    """Answers a CompileRequest with a CompileAnswer."""
    request = CompileRequest.model_validate_json(body)
    workload = find_workload(request.workload_id, request.release)
    progress(Stage.GUARD)
    kernels: dict[str, int] = {}
    full: tuple[Program, Guarded] | None = None
    for header, content in zip(request.programs, blobs, strict=True):
        program = Program(header.size, header.platform, content)
        guarded = guard(program, workload)
        if isinstance(guarded, GuardFault):
            return CompileAnswer(result=GuardRefused(code=guarded.code, reason=guarded.reason)), []
        if header.platform == "tpu":
            kernels[header.size] = guarded.kernels
            full = (program, guarded) if header.size == "full" else full
    progress(Stage.COMPILE)
    counts = {"kernels": kernels.get("full", 0), "check_kernels": kernels.get("check", 0)}
    if request.guard_only or full is None:
        return CompileAnswer(result=CompileSkipped(reason="only the guard was asked for"), **counts), []
    if importlib.util.find_spec("libtpu") is None:
        return CompileAnswer(result=CompileSkipped(reason=NO_LIBTPU), **counts), []
    report = cross_compile(full[1].exported, full[0].digest, get_target(request.target))
    return CompileAnswer(result=report, **counts), []


if __name__ == "__main__":
    serve(handle)
