"""Worker that guards Programs and cross-compiles the full-size one."""

import importlib.util
from collections.abc import Mapping

from jaxbench_harness.compiling.cross_compile import cross_compile
from jaxbench_harness.compiling.libtpu import NO_LIBTPU
from jaxbench_harness.compiling.messages import CompileAnswer, CompileRequest, Findings, GuardRefused
from jaxbench_harness.guard import Guarded, GuardFault, differences, guard
from jaxbench_harness.program import Program
from jaxbench_harness.records import Compiled, CompileRefused, CompileSkipped, Model, Stage, one_line
from jaxbench_harness.registry import find_workload
from jaxbench_harness.targets import get_target
from jaxbench_harness.workers.serving import Progress, serve
from jaxbench_harness.workload import CHECK_SIZE

_MOST_DIFFERENCES = 20

_Key = tuple[str, str]
_FULL: _Key = ("full", "tpu")
_CHECK: _Key = (CHECK_SIZE, "tpu")
_INTERPRETED: _Key = (CHECK_SIZE, "cpu")


def handle(body: str, blobs: list[bytes], progress: Progress) -> tuple[Model, list[bytes]]:
    """Answers a CompileRequest with a CompileAnswer."""
    request = CompileRequest.model_validate_json(body)
    workload = find_workload(request.workload_id, request.release)
    progress(Stage.GUARD)
    passed: dict[_Key, tuple[Program, Guarded]] = {}
    for header, content in zip(request.programs, blobs, strict=True):
        program = Program(header.size, header.platform, content)
        guarded = guard(program, workload)
        if isinstance(guarded, GuardFault):
            return CompileAnswer(result=GuardRefused(code=guarded.code, reason=guarded.reason)), []
        passed[header.size, header.platform] = (program, guarded)
    found = {key: guarded for key, (_, guarded) in passed.items()}
    progress(Stage.COMPILE)
    answer = CompileAnswer(
        result=_compiled(request, passed.get(_FULL)),
        kernels=found[_FULL].kernels if _FULL in found else 0,
        check_kernels=found[_CHECK].kernels if _CHECK in found else 0,
        findings=_findings(found),
    )
    return answer, []


def _compiled(
    request: CompileRequest, full: tuple[Program, Guarded] | None
) -> Compiled | CompileRefused | CompileSkipped:
    if request.guard_only or full is None:
        return CompileSkipped(reason="only the guard was asked for")
    if importlib.util.find_spec("libtpu") is None:
        return CompileSkipped(reason=NO_LIBTPU)
    program, guarded = full
    return cross_compile(guarded.exported, program.digest, get_target(request.target))


def _findings(found: Mapping[_Key, Guarded]) -> Findings | None:
    if _FULL not in found:
        return None
    full, check, interpreted = found[_FULL], found.get(_CHECK), found.get(_INTERPRETED)
    differing = differences(full.skeleton, check.skeleton) if check else []
    return Findings(
        program=full.report,
        size_differences=tuple(map(one_line, differing[:_MOST_DIFFERENCES])),
        check_flops=check.report.flops if check else None,
        interpreted_flops=interpreted.report.flops if interpreted else None,
    )


if __name__ == "__main__":
    serve(handle)
