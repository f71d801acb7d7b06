"""What was tried: one line of JSON per trial, appended and flushed, so that a search goes on where it was ended."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from jaxbench_harness.records import Model


class Trial(Model):
    """One combination of settings and what came of it."""

    settings: Mapping[str, int]
    """The settings."""
    outcome: Literal["scored", "pruned", "failed"]
    """`pruned`: not compiled, for the estimate of its VMEM or settings that contradict each other; `failed`: refused by
    the compiler, wrong, or without a time."""
    time_ns: Annotated[float, Field(gt=0)] | None = None
    """Time in nanoseconds; null unless it was scored."""
    kind: Literal["predicted", "measured"] | None = None
    """Kind of the time; null likewise."""
    program_digest: str | None = None
    """Program for the target that the settings come to. Blocks are fitted to the shape, so several may come to one."""
    evaluation_id: str | None = None
    """Record of the evaluation, which checked its numbers; null where it was slower than one that was checked."""
    reason: str = ""
    """Why there is no time."""


def read_trials(path: Path) -> list[Trial]:
    """Returns the trials of a file; none where there is no file. Raises pydantic.ValidationError at a bad line."""
    if not path.exists():
        return []
    return [Trial.model_validate_json(line) for line in path.read_text().splitlines() if line.strip()]


def compiled(trials: Iterable[Trial]) -> int:
    """Returns how many different Programs were compiled and have a time."""
    return len({trial.program_digest for trial in trials if trial.outcome == "scored"})


def append_trial(path: Path, trial: Trial) -> None:
    """Appends a trial."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(trial.model_dump_json() + "\n")
