"""Stages guard and compile: Programs in, the compiler's report out."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from jaxbench_harness.caching import Cache, code_digest, key_of
from jaxbench_harness.compiling.libtpu import compiler_environment
from jaxbench_harness.compiling.messages import CompileAnswer, CompileRequest, Findings, GuardRefused
from jaxbench_harness.compiling.refusals import classify, is_deterministic, summarize
from jaxbench_harness.environment import package_version
from jaxbench_harness.isolation import Limits, NoAnswer, Spent, run_worker
from jaxbench_harness.program import Program
from jaxbench_harness.records import (
    Compiled,
    CompileRefused,
    CompileSkipped,
    Failed,
    FailureCode,
    ResolvedConfig,
    Stage,
    one_line,
)
from jaxbench_harness.stages.outcome import Cached, StageError, failed, no_answer, since
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
        spent: What both stages took.
        cached: Whether the report came from the cache.
        findings: What else the guard found.
    """

    report: Compiled | CompileSkipped
    kernels: int
    check_kernels: int
    spent: Spent
    cached: Cached = None
    findings: Findings | None = None


def guard_and_compile(
    programs: Sequence[Program],
    workload: Workload,
    target: Target,
    config: ResolvedConfig,
    *,
    baseline: bool = False,
    guard_only: bool = False,
    release: str | None = None,
    cache: Cache | None = None,
) -> GuardedPrograms:
    """Guards all Programs and cross-compiles the full-size one in a fresh process, unless the cache has its answer.

    Args:
        programs: Programs of one candidate.
        workload: What they have to take and return.
        target: What to compile for.
        config: Limits, and what a candidate may be made of.
        baseline: Whether they are of a baseline, which may be made of anything.
        guard_only: Whether to leave the compiler out, unless the cache has its answer.
        release: Release that the workload is taken from, if any.
        cache: Where the compiler's answers are kept; None neither reads nor keeps any.

    Raises:
        StageError: If a Program is not acceptable, or the compiler refuses it or does not end.
    """
    started = time.monotonic()
    key = "" if cache is None else compile_key(programs, workload, target)
    found = cache and cache.get("compile", key, CompileAnswer)
    if found:
        return _judged(found[0], target, config, since(started), "result", baseline=baseline)
    request = CompileRequest(
        workload_id=workload.id,
        release=release,
        programs=tuple(ProgramHeader(size=program.size, platform=program.platform) for program in programs),
        target=target.name,
        guard_only=guard_only,
    )
    ended = run_worker(
        "compile",
        request,
        CompileAnswer,
        limits=Limits(wall_s=config.compile_timeout_s, resident_bytes=config.resident_bytes),
        blobs=[program.content for program in programs],
        environment=compiler_environment(target),
    )
    if isinstance(ended, NoAnswer):
        stage = Stage.COMPILE if ended.progress == Stage.COMPILE else Stage.GUARD
        # A Python error in our own worker ends it with a status; a compiler that aborts or hangs does not.
        by_program = ended.progress is not None and ended.code is not FailureCode.EXITED
        raise no_answer(ended, stage, f"compiling for {target.name}", candidate_owns=by_program)
    if cache is not None and _is_lasting(ended.message):
        cache.put("compile", key, ended.message)
    return _judged(ended.message, target, config, ended.spent, baseline=baseline)


def compile_key(programs: Sequence[Program], workload: Workload, target: Target) -> str:
    """Returns the digest of what guard and compiler's answer depend on."""
    sizes = [workload.size(name) for name in dict.fromkeys(program.size for program in programs)]
    return key_of(
        programs=[program.ref().model_dump(mode="json") for program in programs],
        workload=workload.id,
        contract=[[*map(str, workload.arguments(size)), str(workload.output.at(size.dims))] for size in sizes],
        target=target.model_dump(mode="json"),
        environment=compiler_environment(target),
        versions={name: package_version(name) for name in ("jax", "jaxlib", "libtpu")},
        code=code_digest(),
    )


def _is_lasting(answer: CompileAnswer) -> bool:
    """Returns whether the same request would be answered so again."""
    match answer.result:
        case Compiled():
            return True
        case GuardRefused(code=code):
            return code is not FailureCode.PROTOCOL  # what cannot be read may have met a lack of memory
        case CompileRefused(message=message):
            return is_deterministic(message)
        case CompileSkipped():
            return False


def _judged(
    answer: CompileAnswer,
    target: Target,
    config: ResolvedConfig,
    spent: Spent,
    cached: Cached = None,
    *,
    baseline: bool = False,
) -> GuardedPrograms:
    result = answer.result
    program = answer.findings.program if answer.findings else None
    if isinstance(result, GuardRefused):
        raise StageError(failed(Stage.GUARD, result.code, result.reason), spent, cached=cached)
    if not baseline and (verdict := _against_policy(answer, config)):
        raise StageError(verdict, spent, cached=cached, program=program)
    if isinstance(result, CompileRefused):
        reason = f"the {target.name} compiler refused: {summarize(result.message)}"
        verdict = failed(Stage.COMPILE, classify(result.message), reason, result.message)
        raise StageError(verdict, spent, cached=cached, compile_report=result, program=program)
    return GuardedPrograms(result, answer.kernels, answer.check_kernels, spent, cached, answer.findings)


def _against_policy(answer: CompileAnswer, config: ResolvedConfig) -> Failed | None:
    """Returns the failure of a candidate that is made of something which the config refuses."""
    if config.require_pallas and answer.kernels == 0:
        reason = "the full-size Program has no Mosaic kernel, and this evaluation requires one"
        return failed(Stage.GUARD, FailureCode.NO_KERNEL, reason)
    library = answer.findings.program.library if answer.findings else ()
    if config.library_kernels == "refuse" and library:
        reason = f"uses a kernel of a library ({', '.join(library)}), and this evaluation refuses them"
        return failed(Stage.GUARD, FailureCode.LIBRARY_KERNEL, one_line(reason))
    return None
