"""Checks that an evaluation makes when asked: for races, and at the workload's odd size."""

from dataclasses import dataclass

from jaxbench_harness.caching import Cache
from jaxbench_harness.candidate import Candidate
from jaxbench_harness.check.memory_faults import MEMORY_FAULTS
from jaxbench_harness.compiling.messages import CompileAnswer, CompileRequest, GuardRefused
from jaxbench_harness.isolation import Limits, NoAnswer, run_worker
from jaxbench_harness.records import (
    CompileSkipped,
    Failed,
    FailureCode,
    OddSizeReport,
    Owner,
    RaceReport,
    ResolvedConfig,
    Stage,
    one_line,
)
from jaxbench_harness.stages.check_stage import check_numbers
from jaxbench_harness.stages.compile_stage import GuardedPrograms
from jaxbench_harness.stages.outcome import StageError, failed, no_answer
from jaxbench_harness.stages.trace_stage import TracedPrograms, trace_programs
from jaxbench_harness.targets import Target
from jaxbench_harness.tracing.messages import ProgramHeader
from jaxbench_harness.workload import CHECK_SIZE, ODD_SIZE, Workload

_WRONG_NUMBERS = frozenset({
    FailureCode.NON_FINITE, FailureCode.ELEMENT_ERROR, FailureCode.RMS_ERROR, FailureCode.SYSTEMATIC_ERROR,
})  # fmt: skip


@dataclass(frozen=True)
class FurtherChecks:
    """What they have in common.

    Attributes:
        candidate: Has passed the check.
        workload: What it computes.
        target: Target that it sees.
        config: Limits and number of draws.
        seed: Base seed of the inputs, that of the check.
        release: Release that the workload is taken from, if any.
        cache: As in the other stages.
    """

    candidate: Candidate
    workload: Workload
    target: Target
    config: ResolvedConfig
    seed: int
    release: str | None
    cache: Cache | None

    def for_races(self, trace: TracedPrograms, guarded: GuardedPrograms) -> tuple[RaceReport, Failed | None]:
        """Runs the source at check size under the TPU interpreter with race detection.

        Returns:
            What came of it, and the verdict where the kernel misuses memory or its output is wrong there: a DMA is
            carried out only when it is waited for.
        """
        try:
            self._check(trace, guarded, size=CHECK_SIZE, detect_races=True)
        except StageError as error:
            verdict = error.verdict
            if verdict.code not in MEMORY_FAULTS | _WRONG_NUMBERS:
                return RaceReport(outcome="not_run", reason=verdict.reason), None
            reason = one_line(f"{verdict.reason}, in the run with race detection")
            return RaceReport(outcome="found", reason=reason), failed(Stage.CHECK, verdict.code, reason, verdict.log)
        return RaceReport(outcome="clean"), None

    def at_odd_size(self) -> OddSizeReport:
        """Traces, guards and checks the candidate at the odd size; nothing is compiled for the target."""
        if ODD_SIZE not in self.workload.sizes:
            return OddSizeReport(outcome="not_run", reason=f"{self.workload.id} has no size {ODD_SIZE}")
        try:
            trace = trace_programs(
                self.candidate,
                self.workload,
                self.target,
                self.config,
                self.cache,
                sizes=(ODD_SIZE,),
                checked=ODD_SIZE,
            )
            self._check(trace, self._guard(trace), size=ODD_SIZE)
        except StageError as error:
            verdict = error.verdict
            if verdict.owner is Owner.INFRASTRUCTURE:
                return OddSizeReport(outcome="not_run", code=verdict.code, reason=verdict.reason)
            refused = verdict.code is FailureCode.RAISED and verdict.stage in {Stage.LOAD, Stage.TRACE}
            return OddSizeReport(outcome="refused" if refused else "failed", code=verdict.code, reason=verdict.reason)
        return OddSizeReport(outcome="passed")

    def _check(self, trace: TracedPrograms, guarded: GuardedPrograms, *, size: str, detect_races: bool = False) -> None:
        check_numbers(
            trace,
            self.candidate,
            self.workload,
            self.target,
            config=self.config,
            guarded=guarded,
            seed=self.seed,
            release=self.release,
            cache=self.cache,
            size=size,
            detect_races=detect_races,
        )

    def _guard(self, trace: TracedPrograms) -> GuardedPrograms:
        request = CompileRequest(
            workload_id=self.workload.id,
            release=self.release,
            programs=tuple(ProgramHeader(size=program.size, platform=program.platform) for program in trace.programs),
            target=self.target.name,
            guard_only=True,
        )
        limits = Limits(wall_s=self.config.compile_timeout_s, resident_bytes=self.config.resident_bytes)
        blobs = [program.content for program in trace.programs]
        ended = run_worker("compile", request, CompileAnswer, limits=limits, blobs=blobs)
        if isinstance(ended, NoAnswer):
            by_program = ended.progress is not None and ended.code is not FailureCode.EXITED
            raise no_answer(ended, Stage.GUARD, f"guarding size {ODD_SIZE}", candidate_owns=by_program)
        result = ended.message.result
        if isinstance(result, GuardRefused):
            raise StageError(failed(Stage.GUARD, result.code, result.reason), ended.spent)
        return GuardedPrograms(CompileSkipped(reason="only the guard was asked for"), 0, 0, ended.spent)
