"""Stages load and trace: source in, Programs out."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from jaxbench_harness.caching import Cache, code_digest, installed_packages, key_of
from jaxbench_harness.caching.sources import digests_of, unchanged
from jaxbench_harness.candidate import Candidate
from jaxbench_harness.isolation import Limits, NoAnswer, Spent, run_worker
from jaxbench_harness.program import Program
from jaxbench_harness.records import FailureCode, Model, ResolvedConfig, Sandbox, Stage
from jaxbench_harness.records.base import NonEmptyStr, Sha256
from jaxbench_harness.stages.outcome import Cached, StageError, failed, no_answer, since
from jaxbench_harness.targets import Target
from jaxbench_harness.tracing.messages import (
    AbstractChip,
    CallSpec,
    SourceRequest,
    TraceAnswer,
    Traced,
    TraceFailed,
    TraceRequest,
)
from jaxbench_harness.workload import CHECK_SIZE, TRACED_SIZES, Workload


@dataclass(frozen=True)
class TracedPrograms:
    """What tracing yielded.

    Attributes:
        programs: For the target at every size, and for the CPU at check size where JAX can interpret the kernels.
        interpreter_error: Why there is no Program for the CPU; None when there is.
        spent: What the stage took.
        cached: Whether the Programs came from the cache.
        sandbox: How far the process was confined; None where they came from the cache.
    """

    programs: tuple[Program, ...]
    interpreter_error: str | None
    spent: Spent
    cached: Cached = None
    sandbox: Sandbox | None = None

    def full(self) -> Program:
        """Returns the full-size Program for the target."""
        return next(each for each in self.programs if each.size == "full" and each.platform == "tpu")

    def interpreted(self) -> Program | None:
        """Returns the check Program for the CPU, if there is one."""
        return next((program for program in self.programs if program.platform == "cpu"), None)


class CachedTrace(Model):
    """A trace as the cache keeps it; the Programs travel as blobs."""

    traced: Traced
    """The answer of the process that traced."""
    sources: dict[NonEmptyStr, Sha256]
    """Files that it depended on besides those in its key, by path with the digest of the content."""


def source_request(candidate: Candidate, target: Target) -> tuple[SourceRequest, list[bytes]]:
    """Returns what a worker needs to load the candidate, and the files' contents."""
    paths = tuple(sorted(candidate.files))
    request = SourceRequest(
        paths=paths, main=candidate.main, entry_point=candidate.entry_point, chip=AbstractChip.of(target)
    )
    return request, [candidate.files[path] for path in paths]


def trace_programs(
    candidate: Candidate,
    workload: Workload,
    target: Target,
    config: ResolvedConfig,
    cache: Cache | None = None,
    *,
    sizes: tuple[str, ...] = TRACED_SIZES,
    checked: str = CHECK_SIZE,
) -> TracedPrograms:
    """Loads and traces the candidate in a fresh process, unless the cache has its trace.

    Args:
        candidate: What to trace.
        workload: What it is called as.
        target: What it is traced for.
        config: Limits.
        cache: Where traces are kept; None neither reads nor keeps any.
        sizes: Sizes to trace at.
        checked: The one of them at which a Program for the CPU is wanted too.

    Raises:
        StageError: If it cannot be loaded or traced, or the process misbehaves.
    """
    started = time.monotonic()
    source, blobs = source_request(candidate, target)
    request = TraceRequest(
        source=source,
        calls=tuple(CallSpec.of(workload, workload.size(name)) for name in sizes),
        interpret_sizes=(checked,),
    )
    key = "" if cache is None else trace_key(candidate, request, config)
    found = cache and cache.get("trace", key, CachedTrace)
    if found and unchanged(found[0].sources):
        programs = _programs(found[0].traced, found[1])
        return TracedPrograms(programs, found[0].traced.interpreter_error, since(started), "result")
    limits = Limits.for_candidates(config.trace_timeout_s, config.memory_bytes, config.resident_bytes)
    ended = run_worker("trace", request, TraceAnswer, limits=limits, blobs=blobs, sandboxed=True)
    if isinstance(ended, NoAnswer):
        stage = Stage.TRACE if ended.progress == Stage.TRACE else Stage.LOAD
        doing = "tracing the candidate" if stage is Stage.TRACE else "loading the candidate"
        raise no_answer(ended, stage, doing, candidate_owns=ended.progress is not None)
    result = ended.message.result
    if isinstance(result, TraceFailed):
        log = "\n".join(part for part in (result.log, ended.log) if part)
        raise StageError(failed(result.stage, result.code, result.reason, log), ended.spent, sandbox=ended.sandbox)
    if fault := _protocol_fault(result, ended.blobs, sizes, checked):
        raise StageError(failed(Stage.TRACE, FailureCode.PROTOCOL, fault), ended.spent, sandbox=ended.sandbox)
    sources = cache and digests_of(result.sources)
    if cache is not None and sources is not None:
        cache.put("trace", key, CachedTrace(traced=result, sources=sources), ended.blobs)
    return TracedPrograms(_programs(result, ended.blobs), result.interpreter_error, ended.spent, sandbox=ended.sandbox)


def trace_key(candidate: Candidate, request: TraceRequest, config: ResolvedConfig) -> str:
    """Returns the digest of what a trace depends on, but for the files that it names itself.

    Everything else that the candidate's Python looks at (files, variables, the clock) is not in it.
    """
    return key_of(
        candidate=candidate.digest,
        request=request.model_dump(mode="json"),
        memory_bytes=config.memory_bytes,
        code=code_digest(),
        installed=installed_packages(),
    )


def _protocol_fault(traced: Traced, blobs: Sequence[bytes], sizes: tuple[str, ...], checked: str) -> str | None:
    wanted = [(name, "tpu") for name in sizes] + [(checked, "cpu")] * (traced.interpreter_error is None)
    found = [(header.size, header.platform) for header in traced.programs]
    if sorted(found) != sorted(wanted) or len(found) != len(blobs):
        return f"tracing answered with {len(blobs)} Programs for {found}, expected {wanted}"
    return None


def _programs(traced: Traced, blobs: Sequence[bytes]) -> tuple[Program, ...]:
    return tuple(
        Program(header.size, header.platform, blob) for header, blob in zip(traced.programs, blobs, strict=True)
    )
