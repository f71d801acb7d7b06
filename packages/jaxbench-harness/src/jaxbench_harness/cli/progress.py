"""Progress of long work: bars on a terminal, plain lines elsewhere, always on standard error."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Protocol

from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from jaxbench_harness.cli.terminal import err
from jaxbench_harness.records import Failed, Record, Stage

_STEPS = (Stage.TRACE, Stage.COMPILE, Stage.CHECK)


class Reporter(Protocol):
    """Is told how evaluations get on; called from several threads."""

    def stage(self, name: str, stage: Stage) -> None:
        """The evaluation called `name` begins a stage."""
        ...

    def done(self, name: str, record: Record) -> None:
        """The evaluation called `name` has ended."""
        ...


def outcome(record: Record) -> str:
    """Returns `passed`, or the failed stage."""
    return f"failed at {record.verdict.stage}" if isinstance(record.verdict, Failed) else "passed"


class _Lines:
    def stage(self, name: str, stage: Stage) -> None:
        err.print(f"{name}: {stage} ...", markup=False, highlight=False)

    def done(self, name: str, record: Record) -> None:
        seconds = sum(stage.wall_s for stage in record.stages)
        err.print(f"{name}: {outcome(record)} in {seconds:.1f} s", markup=False, highlight=False)


class _Bars:
    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._tasks: dict[str, TaskID] = {}

    def stage(self, name: str, stage: Stage) -> None:
        if name not in self._tasks:
            self._tasks[name] = self._progress.add_task(name, total=len(_STEPS), stage=stage)
        self._progress.update(self._tasks[name], completed=_STEPS.index(stage), stage=stage)

    def done(self, name: str, record: Record) -> None:
        self._progress.update(self._tasks[name], completed=len(_STEPS), stage=outcome(record))


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
