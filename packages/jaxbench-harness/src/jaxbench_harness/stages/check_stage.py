"""Stage check: the candidate's numbers against the reference."""

from dataclasses import dataclass

from jaxbench_harness.candidate import Candidate
from jaxbench_harness.check.messages import CheckAnswer, CheckRequest
from jaxbench_harness.isolation import Limits, NoAnswer, run_worker
from jaxbench_harness.records import CheckReport, FailureCode, ResolvedConfig, Stage
from jaxbench_harness.stages.compile_stage import GuardedPrograms
from jaxbench_harness.stages.outcome import StageError, failed, no_answer
from jaxbench_harness.stages.trace_stage import CHECK_SIZE, TracedPrograms, source_request
from jaxbench_harness.targets import Target
from jaxbench_harness.workload import Workload


@dataclass(frozen=True)
class Checked:
    """A check that passed."""

    report: CheckReport
    wall_s: float


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
) -> Checked:
    """Checks the candidate at check size in a fresh process.

    Args:
        trace: Its Programs; without one for the CPU, the source runs under the TPU interpreter in a process of its own.
        candidate: The candidate, for that case.
        workload: What to compare with.
        target: Target that the candidate sees.
        config: Limits and number of draws.
        guarded: What the guard counted.
        seed: Base seed of the inputs, drawn after the Programs existed.
        release: Release that the workload is taken from, if any.

    Raises:
        StageError: If a draw fails or the candidate cannot be run.
    """
    program = trace.interpreted()
    source, files = source_request(candidate, target)
    request = CheckRequest(
        workload_id=workload.id,
        release=release,
        size=CHECK_SIZE,
        seed=seed,
        draws_per_distribution=config.draws_per_distribution,
        kernels=guarded.check_kernels,
        source=None if program is not None else source,
        verifier_note=trace.interpreter_error or "",
        timeout_s=config.check_timeout_s,
        memory_bytes=config.memory_bytes,
    )
    blobs = files if program is None else [program.content]
    ended = run_worker("check", request, CheckAnswer, limits=Limits(wall_s=config.check_timeout_s), blobs=blobs)
    if isinstance(ended, NoAnswer):
        # A Python error in our own worker ends it with a status; a Program that hangs or crashes does not.
        by_candidate = ended.progress == "candidate" and ended.code is not FailureCode.EXITED
        doing = "running the candidate" if ended.progress == "candidate" else "computing the reference"
        raise no_answer(ended, Stage.CHECK, doing, candidate_owns=by_candidate)
    answer = ended.message
    report = CheckReport(verifier=answer.verifier, verifier_note=request.verifier_note, draws=answer.draws)
    if answer.failure is not None:
        verdict = failed(Stage.CHECK, answer.failure.code, answer.failure.reason, answer.failure.log)
        raise StageError(verdict, ended.wall_s, check_report=report)
    return Checked(report, ended.wall_s)
