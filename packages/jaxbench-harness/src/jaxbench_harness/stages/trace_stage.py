"""Stages load and trace: source in, Programs out."""

from dataclasses import dataclass

from jaxbench_harness.candidate import Candidate
from jaxbench_harness.isolation import Limits, NoAnswer, run_worker
from jaxbench_harness.program import Program
from jaxbench_harness.records import FailureCode, ResolvedConfig, Sandbox, Stage
from jaxbench_harness.stages.outcome import StageError, failed, no_answer
from jaxbench_harness.targets import Target
from jaxbench_harness.tracing.messages import (
    AbstractChip,
    CallSpec,
    SourceRequest,
    TraceAnswer,
    TraceFailed,
    TraceRequest,
)
from jaxbench_harness.workload import Workload

TRACED_SIZES = ("full", "check")
CHECK_SIZE = "check"
_MAX_PROGRAM_BYTES = 256 * 2**20


@dataclass(frozen=True)
class TracedPrograms:
    """What tracing yielded.

    Attributes:
        programs: For the target at every size, and for the CPU at check size where JAX can interpret the kernels.
        interpreter_error: Why there is no Program for the CPU; None when there is.
        wall_s: Wall time of the stage.
        sandbox: How far the process was confined.
    """

    programs: tuple[Program, ...]
    interpreter_error: str | None
    wall_s: float
    sandbox: Sandbox | None

    def interpreted(self) -> Program | None:
        """Returns the check Program for the CPU, if there is one."""
        return next((program for program in self.programs if program.platform == "cpu"), None)


def source_request(candidate: Candidate, target: Target) -> tuple[SourceRequest, list[bytes]]:
    """Returns what a worker needs to load the candidate, and the files' contents."""
    paths = tuple(sorted(candidate.files))
    request = SourceRequest(
        paths=paths, main=candidate.main, entry_point=candidate.entry_point, chip=AbstractChip.of(target)
    )
    return request, [candidate.files[path] for path in paths]


def trace_programs(candidate: Candidate, workload: Workload, target: Target, config: ResolvedConfig) -> TracedPrograms:
    """Loads and traces the candidate in a fresh process.

    Raises:
        StageError: If it cannot be loaded or traced, or the process misbehaves.
    """
    source, blobs = source_request(candidate, target)
    request = TraceRequest(
        source=source,
        calls=tuple(CallSpec.of(workload, workload.size(name)) for name in TRACED_SIZES),
        interpret_sizes=(CHECK_SIZE,),
    )
    limits = Limits.for_candidates(config.trace_timeout_s, config.memory_bytes)
    ended = run_worker("trace", request, TraceAnswer, limits=limits, blobs=blobs, sandboxed=True)
    if isinstance(ended, NoAnswer):
        stage = Stage.TRACE if ended.progress == Stage.TRACE else Stage.LOAD
        doing = "tracing the candidate" if stage is Stage.TRACE else "loading the candidate"
        raise no_answer(ended, stage, doing, candidate_owns=ended.progress is not None)
    result = ended.message.result
    if isinstance(result, TraceFailed):
        log = "\n".join(part for part in (result.log, ended.log) if part)
        raise StageError(failed(result.stage, result.code, result.reason, log), ended.wall_s, sandbox=ended.sandbox)
    wanted = [(name, "tpu") for name in TRACED_SIZES] + [(CHECK_SIZE, "cpu")] * (result.interpreter_error is None)
    found = [(header.size, header.platform) for header in result.programs]
    if sorted(found) != sorted(wanted) or len(found) != len(ended.blobs):
        reason = f"tracing answered with {len(ended.blobs)} Programs for {found}, expected {wanted}"
        raise StageError(failed(Stage.TRACE, FailureCode.PROTOCOL, reason), ended.wall_s, sandbox=ended.sandbox)
    if sum(map(len, ended.blobs)) > _MAX_PROGRAM_BYTES:
        reason = f"the Programs have {sum(map(len, ended.blobs))} bytes, the limit is {_MAX_PROGRAM_BYTES}"
        raise StageError(failed(Stage.TRACE, FailureCode.PROTOCOL, reason), ended.wall_s, sandbox=ended.sandbox)
    programs = tuple(
        Program(header.size, header.platform, blob) for header, blob in zip(result.programs, ended.blobs, strict=True)
    )
    return TracedPrograms(programs, result.interpreter_error, ended.wall_s, ended.sandbox)
