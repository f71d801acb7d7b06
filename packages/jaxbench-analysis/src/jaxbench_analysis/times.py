"""From records to times: one per candidate, and the best of each entrant on each workload."""

from dataclasses import dataclass

import polars as pl

from jaxbench_analysis.errors import AnalysisError

STATE = pl.Enum(["solved", "flagged", "failed", "not_judged", "not_tried"])
"""What became of an entrant on a workload: a candidate passed; one passed but is held for review by a flag; none
passed; none was judged, since the infrastructure failed; there is no evaluation."""

_CELL = ("entrant", "workload_id")


FEW = 4
"""Evaluations of one candidate up to which their samples tell the noise; of more, their medians do."""


@dataclass(frozen=True)
class Evidence:
    """What was timed in one evaluation."""

    samples_ns: tuple[float, ...]
    """Timed calls; empty where none were kept."""
    time_ns: float
    """Their median, or the point estimate."""
    interval_ns: tuple[float, float] | None
    """80% interval of a predicted time; None for a measured one."""


def candidate_times(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Returns one row per entrant, workload and candidate, with its time where it passed and is not flagged.

    Repeated evaluations of one candidate count once: its time is the median over them, never the best of them. A
    candidate that both passed and failed is no pass.
    """
    judged = pl.col("owner").eq_missing(pl.lit("infrastructure")).not_()
    passed = pl.col("outcome") == "passed"
    flagged = pl.col("flags").list.len() > 0
    timed = passed & ~flagged & pl.col("time_ns").is_not_null()
    return (
        frame.filter(judged)
        .group_by(*_CELL, "candidate_digest")
        .agg(
            passed=passed.all(),
            flagged=(passed & flagged).any(),
            time_ns=pl.col("time_ns").filter(passed & ~flagged).median(),
            evaluations=pl.col("evaluation_id").filter(timed),
            times_ns=pl.col("time_ns").filter(timed),
        )
        .with_columns(time_ns=pl.when(pl.col("passed") & ~pl.col("flagged")).then("time_ns"))
    )


def best_times(frame: pl.LazyFrame) -> pl.DataFrame:
    """Returns one row per entrant and workload that it tried.

    Returns:
        entrant, workload_id, state, candidates (how many were judged), and of the fastest candidate that passed and is
        not flagged candidate_digest, time_ns, evaluations and times_ns (one per evaluation): null where there is none,
        or none was timed.
    """
    fastest = pl.col("time_ns").arg_min()
    held = (pl.col("passed") & pl.col("flagged")).any()
    judged = (
        candidate_times(frame)
        .group_by(*_CELL)
        .agg(
            candidates=pl.len(),
            state=pl.when((pl.col("passed") & ~pl.col("flagged")).any())
            .then(pl.lit("solved"))
            .when(held)
            .then(pl.lit("flagged"))
            .otherwise(pl.lit("failed")),
            candidate_digest=pl.col("candidate_digest").get(fastest),
            time_ns=pl.col("time_ns").min(),
            evaluations=pl.col("evaluations").get(fastest),
            times_ns=pl.col("times_ns").get(fastest),
        )
    )
    tried = frame.select(_CELL).unique()
    return (
        tried.join(judged, on=_CELL, how="left", validate="1:1")
        .with_columns(
            state=pl.col("state").fill_null("not_judged").cast(STATE), candidates=pl.col("candidates").fill_null(0)
        )
        .sort(_CELL)
        .collect()
    )


def workload_facts(frame: pl.LazyFrame) -> pl.DataFrame:
    """Returns family, bounds and FLOPs per workload, of one target and definition."""
    names = ("family", "bound_ns", "bound_flops", "bound_hbm_bytes", "bound_compute_ns", "bound_hbm_ns")
    return (
        frame.group_by("workload_id")
        .agg(pl.col(name).drop_nulls().first() for name in names)
        .sort(pl.col("workload_id").str.extract(r"^(\d+)").cast(pl.Int64), "workload_id")
        .collect()
    )


def evidence(frame: pl.LazyFrame, best: pl.DataFrame, *, most: int | None = None) -> dict[str, Evidence]:
    """Returns what was timed of the fastest candidates, by evaluation id.

    Args:
        frame: The records that `best` is of.
        best: Rows of `best_times`.
        most: Evaluations of each candidate to return, the first ones; None returns all.

    Raises:
        AnalysisError: If a sample or an end of a predicted interval is not a positive finite number.
    """
    first = pl.col("evaluations") if most is None else pl.col("evaluations").list.head(most)
    wanted = best.lazy().select(first.explode().drop_nulls().alias("evaluation_id")).unique()
    rows = (
        frame.join(wanted, on="evaluation_id", how="semi")
        .select("evaluation_id", "samples_ns", "time_ns", "low_ns", "high_ns")
        .collect()
    )
    _require_real_samples(rows)
    return {
        name: Evidence(tuple(samples or ()), time, None if low is None or high is None else (low, high))
        for name, samples, time, low, high in rows.iter_rows()
    }


def _require_real_samples(rows: pl.DataFrame) -> None:
    values = pl.concat_list(pl.col("samples_ns").fill_null([]), "low_ns", "high_ns").list.drop_nulls()
    numbers = rows.lazy().select("evaluation_id", value=values).explode("value")
    wrong = numbers.filter(~(pl.col("value").is_finite() & (pl.col("value") > 0))).head(1).collect()
    for name, value in wrong.iter_rows():
        raise AnalysisError(
            f"evaluation {name} has a sample or an interval end of {value} ns; times are positive finite numbers: "
            "filter the evaluation out and look at how it was timed"
        )
