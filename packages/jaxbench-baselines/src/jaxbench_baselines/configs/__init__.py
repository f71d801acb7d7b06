"""Committed configs: what each expert is told on each target. Folders by target, files by workload and baseline."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from jaxbench_harness.records import Model
from jaxbench_harness.records.base import NonEmptyStr

FALLBACK_TARGET = "v6e"
"""Whose config is taken on a target that has none of its own."""
_FOLDER = Path(__file__).parent


class Software(Model):
    """What a config was chosen with; another version can make another the best."""

    jax: NonEmptyStr
    """Version of jax."""
    libtpu: NonEmptyStr
    """Version of libtpu."""
    library: NonEmptyStr
    """Version of the library that the kernel is from."""


class Evidence(Model):
    """How a config was found."""

    by: Literal["hand", "predicted", "measured"]
    """`hand`: chosen from a few tries; else the kind of time that the tuner compared."""
    trials: Annotated[int, Field(ge=0)] = 0
    """Different Programs that were compiled and timed; all trials are in the file beside the config."""
    default_ns: Annotated[float, Field(gt=0)] | None = None
    """Time of the config that the tuning began with, in nanoseconds; null where none was scored."""
    best_ns: Annotated[float, Field(gt=0)] | None = None
    """Time of this config, in nanoseconds; null where none was scored."""


class TunedConfig(Model):
    """What a config file holds."""

    workload: NonEmptyStr
    """Workload id."""
    baseline: NonEmptyStr
    """Name of the baseline."""
    target: NonEmptyStr
    """Target it was chosen for."""
    software: Software
    """Versions it was chosen with."""
    evidence: Evidence
    """How it was found."""
    settings: Mapping[str, int]
    """What the kernel is told."""


def config_path(workload_id: str, baseline: str, target: str) -> Path:
    """Returns where the config of a baseline for a target is kept."""
    suffix = "" if baseline == "expert" else f".{baseline.removeprefix('expert:')}"
    return _FOLDER / target / f"{workload_id}{suffix}.json"


def find_config(workload_id: str, baseline: str, target: str) -> Path:
    """Returns the config file for a target, or that of `FALLBACK_TARGET` where the target has none.

    Raises:
        FileNotFoundError: If neither has one.
    """
    for name in (target, FALLBACK_TARGET):
        if (path := config_path(workload_id, baseline, name)).is_file():
            return path
    wanted = config_path(workload_id, baseline, FALLBACK_TARGET)
    raise FileNotFoundError(f"{workload_id}: baseline {baseline!r} has no config; write {wanted.name} for {target}")


def read_config(path: Path) -> TunedConfig:
    """Returns what a config file holds. Raises pydantic.ValidationError when it is malformed."""
    return TunedConfig.model_validate_json(path.read_bytes())
