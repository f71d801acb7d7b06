"""How a stage ends an evaluation."""

import time
from typing import Literal

from jaxbench_harness.isolation import NoAnswer, Spent
from jaxbench_harness.records import (
    CheckReport,
    CompileReport,
    Failed,
    FailureCode,
    Owner,
    ProgramReport,
    Sandbox,
    Stage,
    StageTime,
    bounded,
    one_line,
)

Cached = Literal["result", "executables"] | None
"""What of a stage came from the cache; see `StageTime`."""


class StageError(Exception):
    """Ends an evaluation with a verdict and whatever report the failing stage can still give."""

    def __init__(
        self,
        verdict: Failed,
        spent: Spent,
        *,
        cached: Cached = None,
        program: ProgramReport | None = None,
        compile_report: CompileReport | None = None,
        check_report: CheckReport | None = None,
        sandbox: Sandbox | None = None,
    ) -> None:
        super().__init__(verdict.reason)
        self.verdict = verdict
        self.time = stage_time(verdict.stage, spent, cached)
        self.program = program
        self.compile = compile_report
        self.check = check_report
        self.sandbox = sandbox


def stage_time(stage: Stage, spent: Spent, cached: Cached = None) -> StageTime:
    """Returns what a record keeps of what a stage took."""
    return StageTime(stage=stage, wall_s=spent.wall_s, cpu_s=spent.cpu_s, peak_bytes=spent.peak_bytes, cached=cached)


def since(started: float) -> Spent:
    """Returns what a stage took that needed no process, from `time.monotonic()` at its start."""
    return Spent(time.monotonic() - started)


def failed(stage: Stage, code: FailureCode, reason: str, log: str = "", *, owner: Owner = Owner.CANDIDATE) -> Failed:
    """Returns a Failed verdict with reason and log cut to their limits."""
    return Failed(stage=stage, owner=owner, code=code, reason=one_line(reason), log=bounded(log))


def no_answer(ended: NoAnswer, stage: Stage, what: str, *, candidate_owns: bool) -> StageError:
    """Returns the failure for a worker that ended without an answer.

    Args:
        ended: How it ended.
        stage: Stage to report.
        what: What the worker was doing, for the reason: `loading the candidate`.
        candidate_owns: Whether candidate code or its Program was running; else the harness is at fault.
    """
    owner = Owner.CANDIDATE if candidate_owns else Owner.INFRASTRUCTURE
    verdict = failed(stage, ended.code, f"{what}: {ended.reason}", ended.log, owner=owner)
    return StageError(verdict, ended.spent, sandbox=ended.sandbox)
