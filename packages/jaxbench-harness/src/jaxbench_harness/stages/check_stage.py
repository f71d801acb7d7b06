"""Stage check: the candidate's numbers against the reference."""

from dataclasses import dataclass

from jaxbench_harness.caching import Cache, key_of, machine
from jaxbench_harness.candidate import Candidate
from jaxbench_harness.check.messages import CheckAnswer, CheckRequest
from jaxbench_harness.digests import workload_digest
from jaxbench_harness.environment import package_version
from jaxbench_harness.isolation import Limits, NoAnswer, Spent, run_worker
from jaxbench_harness.records import CheckReport, FailureCode, Model, ResolvedConfig, Stage
from jaxbench_harness.records.base import NonEmptyStr
from jaxbench_harness.stages.compile_stage import GuardedPrograms
from jaxbench_harness.stages.outcome import Cached, StageError, failed, no_answer
from jaxbench_harness.stages.trace_stage import TracedPrograms, source_request
from jaxbench_harness.targets import Target
from jaxbench_harness.workload import CHECK_SIZE, Workload


@dataclass(frozen=True)
class Checked:
    """A check that passed."""

    report: CheckReport
    spent: Spent
    cached: Cached


class CachedExecutables(Model):
    """What the cache says of a bundle of executables, which travels as a blob."""

    workload_id: NonEmptyStr
    """Workload whose inputs and reference they compute."""


_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1"}
"""The metrics are sums over small blocks, in which further threads only spin."""


def check_numbers(
    trace: TracedPrograms,
    candidate: Candidate,
    workload: Workload,
    target: Target,
    *,
    config: ResolvedConfig,
    guarded: GuardedPrograms,
    seed: int,
    release: str | None = None,
    cache: Cache | None = None,
    size: str = CHECK_SIZE,
    detect_races: bool = False,
) -> Checked:
    """Checks the candidate at one size in a fresh process.

    Args:
        trace: Its Programs; without one for the CPU, the source runs under the TPU interpreter in a process of its own.
        candidate: The candidate, for that case.
        workload: What to compare with.
        target: Target that the candidate sees.
        config: Limits and number of draws.
        guarded: What the guard counted.
        seed: Base seed of the inputs, drawn after the Programs existed.
        release: Release that the workload is taken from, if any.
        cache: Where compiled code that draws inputs and computes the reference is kept; never what it yields.
        size: Size of the Program for the CPU.
        detect_races: Whether to run the source under the TPU interpreter with race detection, on one draw of the
            standard inputs, in place of the check.

    Raises:
        StageError: If a draw fails or the candidate cannot be run.
    """
    program = None if detect_races else trace.interpreted()
    source, files = source_request(candidate, target)
    request = CheckRequest(
        workload_id=workload.id,
        release=release,
        size=size,
        seed=seed,
        draws_per_distribution=1 if detect_races else config.draws_per_distribution,
        distributions=("standard",) if detect_races else (),
        detect_races=detect_races,
        kernels=guarded.check_kernels,
        source=None if program is not None else source,
        verifier_note=trace.interpreter_error or "",
        timeout_s=config.check_timeout_s,
        memory_bytes=config.memory_bytes,
        resident_bytes=config.resident_bytes,
        executables=cache is not None,
    )
    blobs = files if program is None else [program.content]
    key = "" if cache is None else executables_key(workload, size)
    found = cache and cache.get("executables", key, CachedExecutables)
    bundle = found[1][0] if found else b""
    ended = run_worker(
        "check",
        request,
        CheckAnswer,
        limits=Limits(wall_s=config.check_timeout_s, resident_bytes=config.resident_bytes),
        blobs=[*blobs, bundle] if cache else blobs,
        environment=_ENVIRONMENT,
    )
    if isinstance(ended, NoAnswer):
        # A Python error in our own worker ends it with a status; a Program that hangs or crashes does not.
        by_candidate = ended.progress == "candidate" and ended.code is not FailureCode.EXITED
        doing = "running the candidate" if ended.progress == "candidate" else "computing the reference"
        raise no_answer(ended, Stage.CHECK, doing, candidate_owns=by_candidate)
    if cache is not None and ended.blobs:
        cache.put("executables", key, CachedExecutables(workload_id=workload.id), ended.blobs)
    cached: Cached = "executables" if bundle else None
    answer = ended.message
    report = CheckReport(verifier=answer.verifier, verifier_note=request.verifier_note, draws=answer.draws)
    if answer.failure is not None:
        verdict = failed(Stage.CHECK, answer.failure.code, answer.failure.reason, answer.failure.log)
        raise StageError(verdict, ended.spent, cached=cached, check_report=report)
    return Checked(report, ended.spent, cached)


def executables_key(workload: Workload, size: str = CHECK_SIZE) -> str:
    """Returns the digest that a bundle of executables is found by.

    Whether one of them fits is decided in the worker, by JAX's own key of computation, options, version and machine.
    The machine is in this one too: compiled code that uses instructions which another one lacks would crash there.
    """
    return key_of(
        workload=workload_digest(workload),
        size=size,
        machine=machine(),
        versions={name: package_version(name) for name in ("jax", "jaxlib")},
    )
