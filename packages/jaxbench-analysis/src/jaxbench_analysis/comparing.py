"""Two runs or methods against each other, workload by workload."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import polars as pl

from jaxbench_analysis.comparable import comparable
from jaxbench_analysis.errors import AnalysisError
from jaxbench_analysis.times import STATE, Evidence, best_times, evidence, workload_facts

ALPHA = 0.05
"""Error rate over all workloads of one comparison."""

LEAST_EFFECT = 0.01
"""Smallest difference of times that counts as one; below, the clock and the weather of a chip decide."""

OUTCOME = pl.Enum(["better", "worse", "no difference", "not tested", "only A", "only B", "neither"])

COMPARISON_SCHEMA = pl.Schema(
    {
        "workload_id": pl.String(),
        "a_state": STATE,
        "b_state": STATE,
        "a_ns": pl.Float64(),
        "b_ns": pl.Float64(),
        "speedup": pl.Float64(),
        "outcome": OUTCOME,
        "test": pl.String(),
        "p_value": pl.Float64(),
        "p_adjusted": pl.Float64(),
    }
)

MANN_WHITNEY = "Mann-Whitney U, Holm-adjusted"
PREDICTED_INTERVALS = "overlap of predicted 80% intervals"


@dataclass(frozen=True)
class _Side:
    """One side on one workload."""

    state: str
    time_ns: float | None
    seen: tuple[Evidence, ...]

    @property
    def samples(self) -> list[float]:
        return [sample for one in self.seen for sample in one.samples_ns]

    @property
    def interval(self) -> tuple[float, float] | None:
        ends = [one.interval_ns for one in self.seen]
        return ends[0] if len(set(ends)) == 1 else None


@dataclass(frozen=True)
class Sides:
    """Entrants that may be compared, each with its best on every workload that it tried."""

    workloads: tuple[str, ...]
    """In benchmark order."""
    best: Mapping[tuple[str, str], _Side]
    """By entrant and workload."""

    @property
    def entrants(self) -> set[str]:
        """Who has records."""
        return {entrant for entrant, _ in self.best}


@dataclass(frozen=True)
class _Tested:
    test: str | None = None
    p_value: float | None = None
    apart: bool = False


def compare(
    a: pl.DataFrame | pl.LazyFrame,
    b: pl.DataFrame | pl.LazyFrame,
    *,
    alpha: float = ALPHA,
    least_effect: float = LEAST_EFFECT,
) -> pl.DataFrame:
    """Says per workload whether B is better than A, worse, or no different.

    Each side's time is that of its fastest candidate that passed unflagged, whoever it is from. Measured times with at
    least two samples on both sides are compared by the Mann-Whitney U test, two-sided, with Holm's adjustment over the
    workloads tested; they differ if the adjusted p-value is at most `alpha` and the medians differ by at least
    `least_effect`. Predicted times differ if their 80% intervals do not overlap. Other times are not tested.

    Args:
        a: Records of one side, of one kind of time, target and release.
        b: Records of the other side, of the same.
        alpha: Chance of any false difference, over all workloads.
        least_effect: Smallest relative difference that counts.

    Returns:
        The columns of `COMPARISON_SCHEMA`, in benchmark order. `speedup` is A's time over B's. Where only one side has
        a time, or neither, `outcome` says so.

    Raises:
        MixedRecordsError: If the records of both together may not stand in one aggregate.
        AnalysisError: If there are no records on a side.
    """
    both = pl.concat([a.lazy().with_columns(entrant=pl.lit("A")), b.lazy().with_columns(entrant=pl.lit("B"))])
    sides = sides_of(both)
    if missing := [side for side in ("A", "B") if side not in sides.entrants]:
        raise AnalysisError(f"no records on side {missing[0]}; nothing to compare")
    return compare_sides(sides, "A", "B", alpha=alpha, least_effect=least_effect)


def sides_of(frame: pl.LazyFrame) -> Sides:
    """Returns the entrants of records as sides to compare.

    Raises:
        MixedRecordsError: If the records may not stand in one aggregate.
        AnalysisError: If a time or a sample is not a positive finite number.
    """
    records = comparable(frame)
    best = best_times(records)
    found = evidence(records, best)
    columns = ("entrant", "workload_id", "state", "time_ns", "evaluations")
    sides = {
        (entrant, workload): _Side(state, time, tuple(found[one] for one in evaluations or ()))
        for entrant, workload, state, time, evaluations in best.select(columns).iter_rows()
    }
    return Sides(tuple(workload_facts(records)["workload_id"]), sides)


def compare_sides(
    sides: Sides, a: str, b: str, *, alpha: float = ALPHA, least_effect: float = LEAST_EFFECT
) -> pl.DataFrame:
    """Says what `compare` says, of two entrants, on the workloads that either tried."""
    workloads = [name for name in sides.workloads if (a, name) in sides.best or (b, name) in sides.best]
    pairs = [(sides.best.get((a, name), _NOTHING), sides.best.get((b, name), _NOTHING)) for name in workloads]
    tested = [_test(one, other) for one, other in pairs]
    adjusted = _holm([one.p_value for one in tested])
    rows = [
        {"workload_id": name, "p_adjusted": p_adjusted}
        | _row(*pair, test, significant=_significant(test, p_adjusted, alpha), least_effect=least_effect)
        for name, pair, test, p_adjusted in zip(workloads, pairs, tested, adjusted, strict=True)
    ]
    return pl.DataFrame(rows, schema=COMPARISON_SCHEMA, orient="row")


_NOTHING = _Side("not_tried", None, ())


def _test(a: _Side, b: _Side) -> _Tested:
    if len(a.samples) > 1 and len(b.samples) > 1:
        if len({*a.samples, *b.samples}) == 1:
            return _Tested(MANN_WHITNEY, 1.0)  # all ranks tie, for which scipy has no p-value
        from scipy import stats  # noqa: PLC0415 - takes longer to import than all else here

        found = stats.mannwhitneyu(a.samples, b.samples, alternative="two-sided")
        return _Tested(MANN_WHITNEY, float(cast("tuple[float, float]", found)[1]))
    if a.interval is not None and b.interval is not None:
        apart = a.interval[1] < b.interval[0] or b.interval[1] < a.interval[0]
        return _Tested(PREDICTED_INTERVALS, None, apart)
    return _Tested()


def _holm(p_values: list[float | None]) -> list[float | None]:
    """Returns p-values adjusted by Holm's step-down procedure (Scandinavian Journal of Statistics 6 (1979), 65-70)."""
    order = sorted((value, place) for place, value in enumerate(p_values) if value is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for step, (value, place) in enumerate(order):
        largest = max(largest, min(1.0, value * (len(order) - step)))
        adjusted[place] = largest
    return adjusted


def _significant(tested: _Tested, adjusted: float | None, alpha: float) -> bool:
    return tested.apart if adjusted is None else adjusted <= alpha


def _row(a: _Side, b: _Side, tested: _Tested, *, significant: bool, least_effect: float) -> dict[str, object]:
    row: dict[str, object] = {"a_state": a.state, "b_state": b.state, "a_ns": a.time_ns, "b_ns": b.time_ns}
    if a.time_ns is None or b.time_ns is None:
        one = "only A" if a.time_ns is not None else "only B" if b.time_ns is not None else "neither"
        return row | {"outcome": one}
    speedup = a.time_ns / b.time_ns
    row |= {"speedup": speedup, "test": tested.test, "p_value": tested.p_value}
    if tested.test is None:
        return row | {"outcome": "not tested"}
    if not significant or abs(b.time_ns / a.time_ns - 1) < least_effect:
        return row | {"outcome": "no difference"}
    return row | {"outcome": "better" if speedup > 1 else "worse"}
