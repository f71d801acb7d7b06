"""What the workloads of the benchmark compute: bundled facts, since records name a workload and do not describe it."""

import functools
from importlib import resources

import polars as pl
from pydantic import BaseModel, ConfigDict, TypeAdapter

from jaxbench_analysis import BOUND_SCHEMA
from jaxbench_harness.records import Bound

BUNDLED = resources.files("jaxbench_leaderboard") / "bundled"
"""Folder of the data that comes with the app; `apps/leaderboard/bundle.py` writes it."""


class Argument(BaseModel):
    """One argument of a workload."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    """Its name."""
    type: str
    """dtype and extents at full size, or the number."""
    meaning: str
    """Layout and meaning in words."""


class WorkloadCard(BaseModel):
    """A workload as its page describes it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    """Workload id."""
    version: int
    """Workload version."""
    digest: str
    """Digest of the definition that is described."""
    title: str
    """A few words."""
    tier: str
    """Where it comes from: `production` or `kernelbench`."""
    family: str
    """Kind of operation."""
    model: str | None
    """Model whose shapes it has; None when none."""
    semantics: str
    """What is computed."""
    arguments: tuple[Argument, ...]
    """Arguments in call order, at full size."""
    output: str
    """dtype and extents of the result at full size."""
    tolerance: str
    """Limits of the check."""
    shortcut: str | None
    """Why most of the nominal work can be avoided; None where it cannot."""
    bounds: dict[str, Bound]
    """Physical limits at full size, by target."""
    reference: str
    """Source of the reference, which is the `xla` baseline."""


class ReleaseCard(BaseModel):
    """A release as the app describes it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    """Name; records of a draft say `-draft` behind it."""
    status: str
    """`draft` or `frozen`."""
    date: str
    """When it was frozen, as ISO 8601."""
    workloads: int
    """How many workloads."""
    label: str
    """What its results are good for."""


class Catalogue(BaseModel):
    """Everything that is bundled about the benchmark itself."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    releases: tuple[ReleaseCard, ...]
    """Releases, as `jaxbench release list` has them."""
    workloads: tuple[WorkloadCard, ...]
    """Workloads in benchmark order."""


@functools.cache
def catalogue() -> Catalogue:
    """Returns the bundled catalogue."""
    return TypeAdapter(Catalogue).validate_json((BUNDLED / "catalogue.json").read_bytes())


@functools.cache
def cards() -> dict[str, WorkloadCard]:
    """Returns the workloads of the benchmark by id, in benchmark order."""
    return {card.id: card for card in catalogue().workloads}


@functools.cache
def known_bounds() -> pl.DataFrame:
    """Returns the bounds of all workloads on all targets: rows of `BOUND_SCHEMA`."""
    rows = [
        (target, card.id, bound.flops, bound.hbm_bytes, bound.compute_ns, bound.hbm_ns)
        for card in cards().values()
        for target, bound in card.bounds.items()
    ]
    return pl.DataFrame(rows, schema=BOUND_SCHEMA, orient="row")
