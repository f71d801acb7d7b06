"""The JSON documents that the commands print with `--json`."""

from typing import Literal, Self

import polars as pl

from jaxbench_harness.records import Model


class RankedEntrant(Model):
    """A row of a ranking."""

    rank: int | None
    """1 + the number of entrants whose interval lies wholly above; null without any speedup."""
    tied: bool
    """Whether others have the same rank."""
    entrant: str
    """A baseline by its role, else method and model."""
    score: float | None
    """Geometric mean of the speedups over all workloads; one without a speedup counts as 1."""
    low: float | None
    """Lower end of its 95% interval from the noise of the times; null where that is unknown."""
    high: float | None
    """Upper end."""
    solved: int
    """Workloads on which a candidate passed and is not held for review."""
    compared: int
    """Workloads with a speedup."""
    workloads: int
    """Workloads in all."""
    geomean_solved: float | None
    """Geometric mean of the speedups where there are any."""


class RankDocument(Model):
    """`jaxbench rank --json`."""

    baseline: str
    """What speedups are over."""
    ranking: tuple[RankedEntrant, ...]
    """By rank, then score."""

    @classmethod
    def of(cls, ranked: pl.DataFrame, baseline: str) -> Self:
        """Returns the document of a ranking."""
        return cls(baseline=baseline, ranking=tuple(RankedEntrant(**row) for row in ranked.iter_rows(named=True)))


State = Literal["solved", "flagged", "failed", "not_judged", "not_tried"]


class ComparedWorkload(Model):
    """Two sides on one workload."""

    workload_id: str
    """Workload."""
    a_state: State
    """What became of A on it."""
    b_state: State
    """What became of B on it."""
    a_ns: float | None
    """Time of A, in nanoseconds; null where it has none."""
    b_ns: float | None
    """Time of B, in nanoseconds; null where it has none."""
    speedup: float | None
    """Time of A over time of B."""
    outcome: Literal["better", "worse", "no difference", "not tested", "only A", "only B", "neither"]
    """What B is, or which side has a time."""
    test: str | None
    """How that was tested; null where it was not."""
    p_value: float | None
    """Of the test, where it has one."""
    p_adjusted: float | None
    """The same, adjusted for the number of workloads."""


class CompareDocument(Model):
    """`jaxbench compare --json`."""

    a: str
    """Side A, as it was named."""
    b: str
    """Side B, as it was named."""
    workloads: tuple[ComparedWorkload, ...]
    """In benchmark order."""

    @classmethod
    def of(cls, compared: pl.DataFrame, a: str, b: str) -> Self:
        """Returns the document of a comparison."""
        return cls(a=a, b=b, workloads=tuple(ComparedWorkload(**row) for row in compared.iter_rows(named=True)))


DOCUMENTS: dict[str, type[Model]] = {"rank": RankDocument, "compare": CompareDocument}
"""Schemas by the name that `jaxbench schema` takes."""
