"""Progress of long work: bars on a terminal, plain lines elsewhere, always on standard error."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Protocol

from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from jaxbench_harness.cli.terminal import err
from jaxbench_harness.records import Failed, Stage, Verdict

_STEPS = (Stage.TRACE, Stage.COMPILE, Stage.CHECK, Stage.TIME)


class Reporter(Protocol):
    """Is told how evaluations get on; called from several threads."""

    def stage(self, name: str, stage: Stage) -> None:
        """The evaluation called `name` begins a stage."""
        ...

    def done(self, name: str, verdict: Verdict) -> None:
        """The evaluation called `name` has ended."""
        ...


def outcome(verdict: Verdict) -> str:
    """Returns `passed`, or the failed stage."""
    return f"failed at {verdict.stage}" if isinstance(verdict, Failed) else "passed"


class _Lines:
    def __init__(self) -> None:
        self._started: dict[str, float] = {}

    def stage(self, name: str, stage: Stage) -> None:
        self._started.setdefault(name, time.monotonic())
        err.print(f"{name}: {stage} ...", markup=False, highlight=False)

    def done(self, name: str, verdict: Verdict) -> None:
        seconds = time.monotonic() - self._started[name]
        err.print(f"{name}: {outcome(verdict)} in {seconds:.1f} s", markup=False, highlight=False)


class _Bars:
    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._tasks: dict[str, TaskID] = {}

    def stage(self, name: str, stage: Stage) -> None:
        if name not in self._tasks:
            self._tasks[name] = self._progress.add_task(name, total=len(_STEPS), stage=stage)
        self._progress.update(self._tasks[name], completed=_STEPS.index(stage), stage=stage)

    def done(self, name: str, verdict: Verdict) -> None:
        self._progress.update(self._tasks[name], completed=len(_STEPS), stage=outcome(verdict))


@contextmanager
def reporting() -> Generator[Reporter]:
    """Shows progress while the block runs."""
    if not err.is_terminal:
        yield _Lines()
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=12),
        TextColumn("{task.fields[stage]}", markup=False),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=err, transient=True) as progress:
        yield _Bars(progress)
