"""What was tried: one line of JSON per trial, appended and flushed, so that a search goes on where it was ended."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from jaxbench_harness.records import Model


class Trial(Model):
    """One combination of settings and what came of it."""

    settings: Mapping[str, int]
    """The settings."""
    outcome: Literal["scored", "pruned", "failed"]
    """`pruned`: not compiled, for the estimate of its VMEM or settings that contradict each other; `failed`: compiled
    or checked without success, or no time came of it."""
    time_ns: Annotated[float, Field(gt=0)] | None = None
    """Time in nanoseconds; null unless it was scored."""
    kind: Literal["predicted", "measured"] | None = None
    """Kind of the time; null likewise."""
    evaluation_id: str | None = None
    """Record of the evaluation; null where there was none."""
    reason: str = ""
    """Why there is no time."""


def read_trials(path: Path) -> list[Trial]:
    """Returns the trials of a file; none where there is no file. Raises pydantic.ValidationError at a bad line."""
    if not path.exists():
        return []
    return [Trial.model_validate_json(line) for line in path.read_text().splitlines() if line.strip()]


def append_trial(path: Path, trial: Trial) -> None:
    """Appends a trial."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(trial.model_dump_json() + "\n")
