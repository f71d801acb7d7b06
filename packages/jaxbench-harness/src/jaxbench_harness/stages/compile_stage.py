"""Stages guard and compile: Programs in, the compiler's report out."""

from collections.abc import Sequence
from dataclasses import dataclass

from jaxbench_harness.compiling.libtpu import compiler_environment
from jaxbench_harness.compiling.messages import CompileAnswer, CompileRequest, GuardRefused
from jaxbench_harness.compiling.refusals import classify, summarize
from jaxbench_harness.isolation import Limits, NoAnswer, run_worker
from jaxbench_harness.program import Program
from jaxbench_harness.records import (
    Compiled,
    CompileRefused,
    CompileSkipped,
    FailureCode,
    ResolvedConfig,
    Stage,
)
from jaxbench_harness.stages.outcome import StageError, failed, no_answer
from jaxbench_harness.targets import Target
from jaxbench_harness.tracing.messages import ProgramHeader
from jaxbench_harness.workload import Workload


@dataclass(frozen=True)
class GuardedPrograms:
    """Programs that passed the guard, and what the compiler said of the full-size one.

    Attributes:
        report: The compiler's report, or why it was not asked.
        kernels: Mosaic kernels in the full-size Program.
        check_kernels: Mosaic kernels in the check-size Program.
        wall_s: Wall time of both stages.
    """

    report: Compiled | CompileSkipped
    kernels: int
    check_kernels: int
    wall_s: float


def guard_and_compile(
    programs: Sequence[Program],
    workload: Workload,
    target: Target,
    config: ResolvedConfig,
    *,
    release: str | None = None,
) -> GuardedPrograms:
    """Guards all Programs and cross-compiles the full-size one in a fresh process.

    Args:
        programs: Programs of one candidate.
        workload: What they have to take and return.
        target: What to compile for.
        config: Limits.
        release: Release that the workload is taken from, if any.

    Raises:
        StageError: If a Program is not acceptable, or the compiler refuses it or does not end.
    """
    request = CompileRequest(
        workload_id=workload.id,
        release=release,
        programs=tuple(ProgramHeader(size=program.size, platform=program.platform) for program in programs),
        target=target.name,
    )
    ended = run_worker(
        "compile",
        request,
        CompileAnswer,
        limits=Limits(wall_s=config.compile_timeout_s),
        blobs=[program.content for program in programs],
        environment=compiler_environment(target),
    )
    if isinstance(ended, NoAnswer):
        stage = Stage.COMPILE if ended.progress == Stage.COMPILE else Stage.GUARD
        # A Python error in our own worker ends it with a status; a compiler that aborts or hangs does not.
        by_program = ended.progress is not None and ended.code is not FailureCode.EXITED
        raise no_answer(ended, stage, f"compiling for {target.name}", candidate_owns=by_program)
    result = ended.message.result
    if isinstance(result, GuardRefused):
        raise StageError(failed(Stage.GUARD, result.code, result.reason), ended.wall_s)
    if config.require_pallas and ended.message.kernels == 0:
        reason = "the full-size Program has no Mosaic kernel, and this evaluation requires one"
        raise StageError(failed(Stage.GUARD, FailureCode.NO_KERNEL, reason), ended.wall_s)
    if isinstance(result, CompileRefused):
        reason = f"the {target.name} compiler refused: {summarize(result.message)}"
        verdict = failed(Stage.COMPILE, classify(result.message), reason, result.message)
        raise StageError(verdict, ended.wall_s, compile_report=result)
    return GuardedPrograms(result, ended.message.kernels, ended.message.check_kernels, ended.wall_s)
