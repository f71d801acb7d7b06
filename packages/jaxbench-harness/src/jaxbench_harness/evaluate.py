"""The pipeline: candidate -> Programs -> guard -> compile -> check -> Record. Owns verdicts; runs no candidate code."""

import logging
import secrets
import traceback
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from jaxbench_harness.bounds import bound_for
from jaxbench_harness.caching import Cache
from jaxbench_harness.candidate import Candidate
from jaxbench_harness.digests import workload_ref
from jaxbench_harness.environment import current_environment
from jaxbench_harness.prediction.messages import Unpredicted
from jaxbench_harness.program import Program
from jaxbench_harness.records import (
    CheckReport,
    Compiled,
    CompileReport,
    CompileSkipped,
    Failed,
    FailureCode,
    Flag,
    FlagCode,
    Owner,
    Passed,
    Predicted,
    ProgramReport,
    Record,
    ResolvedConfig,
    Sandbox,
    Stage,
    StageTime,
    Timing,
    Verdict,
    Verifier,
)
from jaxbench_harness.registry import find_workload, recorded_release
from jaxbench_harness.review import review_program, review_sizes, review_time
from jaxbench_harness.stages.check_stage import check_numbers
from jaxbench_harness.stages.compile_stage import GuardedPrograms, guard_and_compile
from jaxbench_harness.stages.further_checks import FurtherChecks
from jaxbench_harness.stages.outcome import StageError, failed, stage_time
from jaxbench_harness.stages.time_stage import Timed, predict_time
from jaxbench_harness.stages.trace_stage import TracedPrograms, trace_programs
from jaxbench_harness.targets import get_target
from jaxbench_harness.workload import Workload

_log = logging.getLogger(__name__)

OnStage = Callable[[Stage], None]


def new_run_id() -> str:
    """Returns an id for evaluations started together: UTC time and randomness."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}"


def evaluate(
    candidate: Candidate,
    workload: Workload,
    config: ResolvedConfig,
    *,
    release: str | None = None,
    run_id: str | None = None,
    on_stage: OnStage | None = None,
    cache: Cache | None = None,
) -> Record:
    """Judges one candidate on one workload.

    Args:
        candidate: What is judged.
        workload: What it has to compute.
        config: How; names the target.
        release: Release that the workload is of; by default the record names the newest one that has frozen it.
        run_id: Id of the run it belongs to; a new one by default.
        on_stage: Called with each stage as it begins.
        cache: Where traces, compile reports and compiled code of checks are kept; None neither reads nor keeps any.

    Returns:
        The record: a failure is a verdict, not an exception.

    Raises:
        UnknownTargetError: If the config names no known target.
        UnknownWorkloadError: If the workload is not registered: worker processes find it by its id.
        UnknownReleaseError: If there is no such release.
        ReleaseError: If the workload is no longer what the release has frozen, or the config contradicts its protocol.
        ValueError: If another workload is registered under that id, or in that release.
    """
    if find_workload(workload.id, release) is not workload:
        place = "registered workload" if release is None else f"workload of release {release}"
        raise ValueError(f"{workload.id}: not the {place} of that id; register yours under another id")
    named = recorded_release(workload, config, release)
    evaluation = _Evaluation(candidate, workload, config, release, on_stage or (lambda _stage: None), cache)
    verdict = evaluation.run()
    return Record(
        evaluation_id=uuid.uuid4().hex,
        run_id=run_id or new_run_id(),
        created_at=datetime.now(UTC),
        workload=workload_ref(workload, named),
        candidate=candidate.ref(),
        config=config,
        environment=current_environment(),
        sandbox=evaluation.sandbox,
        programs=tuple(program.ref() for program in evaluation.programs),
        bound=bound_for(workload, get_target(config.target)),
        verdict=verdict,
        program=evaluation.program,
        compile=evaluation.compile,
        check=evaluation.check,
        timing=evaluation.timing,
        untimed=evaluation.untimed,
        flags=tuple(evaluation.flags()),
        stages=tuple(evaluation.stages),
    )


def compile_only(
    candidate: Candidate,
    workload: Workload,
    config: ResolvedConfig,
    *,
    release: str | None = None,
    on_stage: OnStage | None = None,
    cache: Cache | None = None,
) -> tuple[Verdict, CompileReport | None]:
    """Traces, guards and compiles a candidate without checking its numbers.

    Returns:
        Whether the compiler accepted the full-size Program, and its report. Where it could not be asked, the verdict
        is an infrastructure failure.
    """
    evaluation = _Evaluation(candidate, workload, config, release, on_stage or (lambda _stage: None), cache)
    verdict = evaluation.run(until=Stage.COMPILE)
    if isinstance(verdict, Passed) and isinstance(evaluation.compile, CompileSkipped):
        reason = evaluation.compile.reason
        verdict = failed(Stage.COMPILE, FailureCode.NO_LIBTPU, reason, owner=Owner.INFRASTRUCTURE)
    return verdict, evaluation.compile


def predict_only(
    candidate: Candidate,
    workload: Workload,
    config: ResolvedConfig,
    *,
    timeline: bool = False,
    release: str | None = None,
    on_stage: OnStage | None = None,
    cache: Cache | None = None,
) -> tuple[Verdict, Timed | None]:
    """Traces, guards and predicts a candidate, with a timeline if wanted; its numbers are not checked.

    Returns:
        Whether it came as far as a prediction, and what came of that.
    """
    evaluation = _Evaluation(candidate, workload, config, release, on_stage or (lambda _stage: None), cache)
    verdict = evaluation.run(until=Stage.GUARD)
    return verdict, evaluation.predict(timeline=timeline) if isinstance(verdict, Passed) else None


@dataclass
class _Evaluation:
    """What is evaluated, and what was found so far."""

    candidate: Candidate
    workload: Workload
    config: ResolvedConfig
    release: str | None
    on_stage: OnStage
    cache: Cache | None
    programs: tuple[Program, ...] = ()
    sandbox: Sandbox | None = None
    program: ProgramReport | None = None
    compile: CompileReport | None = None
    check: CheckReport | None = None
    timing: Timing | None = None
    untimed: str | None = None
    stages: list[StageTime] = field(default_factory=list[StageTime])
    _stage: Stage = Stage.LOAD
    _trace: TracedPrograms | None = None
    _guarded: GuardedPrograms | None = None

    def __post_init__(self) -> None:
        self._target = get_target(self.config.target)
        self._is_baseline = self.candidate.role != "candidate"

    def run(self, until: Stage = Stage.TIME) -> Verdict:
        """Runs the stages up to `until` and returns the verdict."""
        try:
            return self._run_stages(until) or Passed()
        except StageError as failure:
            self.stages.append(failure.time)
            self.sandbox = failure.sandbox or self.sandbox
            self.program = failure.program or self.program
            self.compile = failure.compile or self.compile
            self.check = failure.check or self.check
            return failure.verdict
        except InterruptedError:
            raise
        except Exception as error:  # noqa: BLE001 - one evaluation must not end the others of a run
            _log.exception("evaluation of %s on %s", self.candidate.name, self.workload.id)
            reason = f"a fault of the harness: {type(error).__name__}: {error}"
            log = "".join(traceback.format_exception(error))
            return failed(self._stage, FailureCode.INTERNAL, reason, log, owner=Owner.INFRASTRUCTURE)

    def _begin(self, stage: Stage) -> None:
        self._stage = stage
        self.on_stage(stage)

    def _run_stages(self, until: Stage) -> Failed | None:
        """Runs them and returns what a further check found; what ends a stage is raised."""
        self._begin(Stage.TRACE)
        trace = trace_programs(self.candidate, self.workload, self._target, self.config, self.cache)
        self._trace = trace
        self.programs = trace.programs
        self.sandbox = trace.sandbox
        self.stages.append(stage_time(Stage.TRACE, trace.spent, trace.cached))

        self._begin(Stage.COMPILE)
        self._guarded = guard_and_compile(
            self.programs,
            self.workload,
            self._target,
            self.config,
            baseline=self._is_baseline,
            guard_only=until is Stage.GUARD,
            release=self.release,
            cache=self.cache,
        )
        self.compile = self._guarded.report
        self.program = self._guarded.findings and self._guarded.findings.program
        self.stages.append(stage_time(Stage.COMPILE, self._guarded.spent, self._guarded.cached))
        if until in {Stage.GUARD, Stage.COMPILE}:
            return None

        self._begin(Stage.CHECK)
        seed = self.config.seed if self.config.seed is not None else secrets.randbits(32)
        checked = check_numbers(
            trace,
            self.candidate,
            self.workload,
            self._target,
            config=self.config,
            guarded=self._guarded,
            seed=seed,
            release=self.release,
            cache=self.cache,
        )
        self.check = checked.report
        self.stages.append(stage_time(Stage.CHECK, checked.spent, checked.cached))
        further = FurtherChecks(
            self.candidate, self.workload, self._target, self.config, seed, self.release, self.cache
        )
        if self.config.odd_size:
            self.check = self.check.model_copy(update={"odd": further.at_odd_size()})
        if self.config.races:
            races, verdict = further.for_races(trace, self._guarded)
            self.check = self.check.model_copy(update={"races": races})
            if verdict is not None:
                return verdict
        if self.config.timing == "predict":
            self.predict()
        return None

    def predict(self, *, timeline: bool = False) -> Timed:
        """Fills in the time, or why there is none; that is no failure of the candidate."""
        assert self._trace is not None, "traced before"
        self._begin(Stage.TIME)
        timed = predict_time(
            self._trace.full(),
            self.workload,
            self._target,
            self.config,
            reference=self.candidate.role == "xla",
            timeline=timeline,
            release=self.release,
            cache=self.cache,
        )
        self.stages.append(stage_time(Stage.TIME, timed.spent, timed.cached))
        match timed.result:
            case Unpredicted(reason=reason):
                self.untimed = reason
            case Predicted() as predicted:
                self.timing = predicted
        return timed

    def flags(self) -> list[Flag]:
        """Returns the reasons for review; a baseline may be made of anything."""
        flags: list[Flag] = []
        findings = self._guarded.findings if self._guarded else None
        if findings is not None:
            if not self._is_baseline:
                flags += review_program(findings, self.workload, self.config)
            flags += review_sizes(findings)
        if not self._is_baseline and self.check is not None and self.check.verifier is Verifier.TPU_INTERPRETER:
            flags.append(Flag(code=FlagCode.SOURCE_INTERPRETED, detail=self.check.verifier_note))
        if isinstance(self.compile, CompileSkipped):
            flags.append(Flag(code=FlagCode.NOT_COMPILED, detail=self.compile.reason))
        if isinstance(self.compile, Compiled) and not self.compile.fits_hbm:
            detail = f"needs {self.compile.hbm_bytes} bytes of HBM, {self._target.name} has {self._target.hbm_bytes}"
            flags.append(Flag(code=FlagCode.DOES_NOT_FIT_HBM, detail=detail))
        if isinstance(self.timing, Predicted):
            flags += review_time(self.timing.time_ns, bound_for(self.workload, self._target))
        return flags
