"""Speedup over a baseline, per entrant and workload, with its uncertainty."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from jaxbench_analysis.comparable import comparable
from jaxbench_analysis.errors import AnalysisError
from jaxbench_analysis.intervals import Draws, bootstrap_medians, percentile_interval, prediction_draws
from jaxbench_analysis.times import FEW, Evidence, best_times, evidence, workload_facts

DRAWS = 2000
"""Bootstrap draws: the ends of a 95% interval then rest on 50 draws each."""

INTERVAL = pl.Enum(["samples", "prediction"])
"""What an interval is of: the noise of the raw samples, or the error that the predictor states for itself."""

EXPERT = "expert"


@dataclass(frozen=True)
class Speedups:
    """Speedups of every entrant on every workload, over one baseline."""

    baseline: str
    """Entrant that all are compared with."""
    table: pl.DataFrame
    """One row per entrant and workload.

    entrant, workload_id, family, state (`STATE`), candidates (how many were judged), candidate_digest, time_ns, low_ns,
    high_ns, baseline_ns, speedup (baseline_ns / time_ns; null unless both have a time), speedup_low, speedup_high (95%
    interval; null where there is no evidence of noise), interval (`INTERVAL`), bound_ns, bound_fraction (bound_ns /
    time_ns), gap_recovered (share of the time between `xla` and `expert`; null unless `expert` is the faster), and the
    counts of the roofline: bound_flops, bound_hbm_bytes, bound_compute_ns, bound_hbm_ns.
    """
    draws: Draws
    """Bootstrap draws of the speedup: a row per row of the table, NaN where there is no interval."""


def speedups(
    frame: pl.DataFrame | pl.LazyFrame,
    *,
    baseline: str = "xla",
    workloads: Sequence[str] | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Speedups:
    """Compares the best time of every entrant with that of a baseline.

    The time of an entrant on a workload is that of its fastest candidate that passed and is not flagged. Draws of the
    baseline are shared by all entrants, and those of the baseline over itself are exactly 1.

    Args:
        frame: Records of one kind of time, target and release.
        baseline: Entrant to compare with.
        workloads: Workloads to count; by default all that are in `frame`, whoever tried them.
        draws: Bootstrap draws.
        seed: Of the draws, so that equal records give equal intervals.

    Returns:
        The speedups, workloads in benchmark order.

    Raises:
        MixedRecordsError: If the records may not stand in one table; see `comparable`.
        AnalysisError: If a time is not a positive finite number.
    """
    records = comparable(frame)
    best = best_times(records)
    facts = workload_facts(records)
    if workloads is not None:
        known = facts["workload_id"].to_list()
        if unknown := [name for name in workloads if name not in known]:
            raise AnalysisError(f"no record of {unknown[0]}; there are {', '.join(known) or 'no records'}")
        facts = facts.filter(pl.col("workload_id").is_in(workloads))
        best = best.filter(pl.col("workload_id").is_in(workloads))
    times = _time_draws(best, evidence(records, best, most=FEW), draws, np.random.default_rng(seed))
    table = _table(best, facts, baseline)
    ratios = _ratio_draws(table, times, baseline, draws)
    return Speedups(baseline, _with_intervals(table, times, ratios), ratios)


def _table(best: pl.DataFrame, facts: pl.DataFrame, baseline: str) -> pl.DataFrame:
    entrants = best.select("entrant").unique().sort("entrant")
    grid = entrants.join(facts.with_row_index("order"), how="cross")
    times = best.select("workload_id", pl.col("time_ns"), "entrant")
    of = {
        name: times.filter(pl.col("entrant") == entrant).select("workload_id", pl.col("time_ns").alias(name))
        for name, entrant in (("baseline_ns", baseline), ("xla_ns", "xla"), ("expert_ns", EXPERT))
    }
    joined = grid.join(best, on=["entrant", "workload_id"], how="left", validate="1:1")
    for other in of.values():
        joined = joined.join(other, on="workload_id", how="left", validate="m:1")
    gap = pl.col("xla_ns") - pl.col("expert_ns")
    return joined.sort("entrant", "order").select(
        "entrant",
        "workload_id",
        "family",
        pl.col("state").fill_null("not_tried"),
        pl.col("candidates").fill_null(0),
        "candidate_digest",
        "time_ns",
        "baseline_ns",
        (pl.col("baseline_ns") / pl.col("time_ns")).alias("speedup"),
        "bound_ns",
        (pl.col("bound_ns") / pl.col("time_ns")).alias("bound_fraction"),
        pl.when(gap > 0).then((pl.col("xla_ns") - pl.col("time_ns")) / gap).alias("gap_recovered"),
        "bound_flops",
        "bound_hbm_bytes",
        "bound_compute_ns",
        "bound_hbm_ns",
    )


def _time_draws(
    best: pl.DataFrame, found: Mapping[str, Evidence], count: int, rng: np.random.Generator
) -> dict[tuple[str, str], tuple[str, Draws]]:
    """Returns draws of the time and what they are of, by entrant and workload, where there is evidence of noise."""
    drawn: dict[tuple[str, str], tuple[str, Draws]] = {}
    timed = best.drop_nulls("time_ns").select("entrant", "workload_id", "time_ns", "times_ns", "evaluations")
    for entrant, workload, time, times, evaluations in timed.iter_rows():
        seen = [found[one] for one in evaluations[:FEW]]
        intervals = [
            (one.interval_ns[0] / one.time_ns, one.interval_ns[1] / one.time_ns) for one in seen if one.interval_ns
        ]
        if intervals:
            # One model's errors on one candidate are the same every time: more evaluations do not make them smaller.
            low, high = np.median(intervals, axis=0)
            drawn[entrant, workload] = "prediction", prediction_draws(time, time * low, time * high, count, rng)
        elif len(times) > FEW:
            drawn[entrant, workload] = "samples", bootstrap_medians(times, count, rng)
        elif all(len(one.samples_ns) > 1 for one in seen):
            medians = [bootstrap_medians(one.samples_ns, count, rng) for one in seen]
            drawn[entrant, workload] = "samples", np.median(np.stack(medians), axis=0)
    return drawn


def _ratio_draws(
    table: pl.DataFrame, times: Mapping[tuple[str, str], tuple[str, Draws]], baseline: str, count: int
) -> Draws:
    ratios = np.full((table.height, count), np.nan)
    for row, (entrant, workload, speedup) in enumerate(table.select("entrant", "workload_id", "speedup").iter_rows()):
        own, base = times.get((entrant, workload)), times.get((baseline, workload))
        if speedup is not None and own is not None and base is not None:
            ratios[row] = base[1] / own[1]
    return ratios


def _with_intervals(
    table: pl.DataFrame, times: Mapping[tuple[str, str], tuple[str, Draws]], ratios: Draws
) -> pl.DataFrame:
    columns: dict[str, list[float | str | None]] = {
        name: [] for name in ("low_ns", "high_ns", "speedup_low", "speedup_high", "interval")
    }
    for row, key in enumerate(table.select("entrant", "workload_id").iter_rows()):
        kind, time = times.get(key, (None, None))
        time_interval = (None, None) if time is None else percentile_interval(time)
        known = not np.isnan(ratios[row, 0])
        ratio_interval = percentile_interval(ratios[row]) if known else (None, None)
        for name, value in zip(columns, (*time_interval, *ratio_interval, kind), strict=True):
            columns[name].append(value)
    kinds = pl.Series("interval", columns.pop("interval"), INTERVAL)
    return table.with_columns(*(pl.Series(name, ends, pl.Float64) for name, ends in columns.items()), kinds)
