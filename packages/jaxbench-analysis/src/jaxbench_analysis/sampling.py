"""What a method's samples say: correctness, solved@n, and the best so far by samples or by cost."""

import math
from collections.abc import Sequence
from typing import Literal

import polars as pl

from jaxbench_analysis.comparable import comparable
from jaxbench_analysis.errors import AnalysisError
from jaxbench_analysis.intervals import wilson_interval

_CELL = ("entrant", "workload_id")


def judged_samples(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Returns the records that count as samples, by entrant, workload and order of sampling.

    A sample is a candidate that was judged: infrastructure failures are nobody's. A sample that was evaluated again
    (same source, same sample number if it has one) counts once, by its first record.
    """
    return (
        frame.filter(pl.col("owner").eq_missing(pl.lit("infrastructure")).not_())
        .sort("created_at", nulls_last=True, maintain_order=True)
        .unique([*_CELL, "candidate_digest", "sample"], keep="first", maintain_order=True)
        .sort(*_CELL, "sample", nulls_last=True, maintain_order=True)
        .with_columns(solved=(pl.col("outcome") == "passed") & (pl.col("flags").list.len() == 0))
    )


def correctness(frame: pl.DataFrame | pl.LazyFrame, *, by: Sequence[str] = ("entrant",)) -> pl.DataFrame:
    """Returns the share of samples that are correct, with Wilson's 95% interval.

    Args:
        frame: Records of one target and release; times do not matter.
        by: Columns to group by.

    Returns:
        The columns of `by`, samples, correct (passed and not flagged), share, low, high.

    Raises:
        MixedRecordsError: If the records may not stand in one aggregate.
    """
    samples = judged_samples(comparable(frame, timed=False)).select(*by, "solved").collect()
    counted = samples.group_by(by).agg(samples=pl.len(), correct=pl.col("solved").sum()).sort(by)
    intervals = [wilson_interval(correct, total) for correct, total in counted.select("correct", "samples").iter_rows()]
    return counted.with_columns(
        pl.Series("low", [ends[0] if ends else None for ends in intervals], pl.Float64),
        pl.Series("high", [ends[1] if ends else None for ends in intervals], pl.Float64),
        share=pl.col("correct") / pl.col("samples"),
    ).select(*by, "samples", "correct", "share", "low", "high")


def solved_at(frame: pl.DataFrame | pl.LazyFrame, counts: Sequence[int]) -> pl.DataFrame:
    """Returns the unbiased estimate of the share of workloads that n samples solve.

    With c of m samples of a workload correct, the chance that n of them, drawn without replacement, hold a correct one
    is 1 - C(m - c, n) / C(m, n) (Chen et al., Evaluating Large Language Models Trained on Code, 2021). It is unbiased
    where samples are independent of each other and m was not chosen by looking at them: not for a method that stops at
    its first success, nor for one that refines its earlier samples.

    Args:
        frame: Records of one target and release.
        counts: Values of n.

    Returns:
        entrant, n, solved_at (mean over the workloads with at least n samples; null where there is none), workloads
        (how many these are) and short (how many have fewer samples and are left out).

    Raises:
        MixedRecordsError: If the records may not stand in one aggregate.
        AnalysisError: If an n is below 1.
    """
    if wrong := [count for count in counts if count < 1]:
        raise AnalysisError(f"solved@{wrong[0]}: a number of samples is at least 1")
    samples = judged_samples(comparable(frame, timed=False)).select(*_CELL, "solved").collect()
    cells = samples.group_by(_CELL).agg(samples=pl.len(), correct=pl.col("solved").sum())
    rows: list[tuple[str, int, float | None, int, int]] = []
    for (entrant,), part in cells.sort(_CELL).group_by("entrant", maintain_order=True):
        pairs = part.select("samples", "correct").rows()
        for count in counts:
            chances = [_chance(total, correct, count) for total, correct in pairs if total >= count]
            mean = math.fsum(chances) / len(chances) if chances else None
            rows.append((str(entrant), count, mean, len(chances), len(pairs) - len(chances)))
    columns = {
        "entrant": pl.String(),
        "n": pl.Int64(),
        "solved_at": pl.Float64(),
        "workloads": pl.Int64(),
        "short": pl.Int64(),
    }
    return pl.DataFrame(rows, schema=columns, orient="row")


def _chance(total: int, correct: int, count: int) -> float:
    return 1 - math.comb(total - correct, count) / math.comb(total, count)


def best_so_far(
    frame: pl.DataFrame | pl.LazyFrame, *, by: Literal["samples", "cost"] = "samples", baseline: str = "xla"
) -> pl.DataFrame:
    """Returns how the best speedup of each method grows.

    Args:
        frame: Records of one kind of time, target and release.
        by: `samples`: x is how many samples each workload has had; `cost`: x is what each has cost, in US dollars.
        baseline: Entrant to compare with.

    Returns:
        entrant, x, solved (share of the method's workloads with a correct sample by then) and geomean_missing_as_1 (of
        the best speedup by then; a workload without one counts as 1): at every x where something changes for the
        entrant. Only samples of methods, not baselines, are followed. By cost, entrants with a sample of unknown cost
        are left out.

    Raises:
        MixedRecordsError: If the records may not stand in one aggregate.
    """
    records = comparable(frame)
    base = (
        records.filter((pl.col("entrant") == baseline) & (pl.col("outcome") == "passed"))
        .filter(pl.col("flags").list.len() == 0)
        .group_by("workload_id")
        .agg(baseline_ns=pl.col("time_ns").median())
        .collect()
    )
    candidates = judged_samples(records.filter(pl.col("role") == "candidate"))
    samples = candidates.select(*_CELL, "sample", "solved", "time_ns", "cost_usd").collect()
    if by == "cost":
        samples = samples.filter(pl.col("cost_usd").is_not_null().all().over("entrant"))
        position = pl.col("cost_usd").cum_sum()
    else:
        position = pl.int_range(1, pl.len() + 1).cast(pl.Float64)
    gain = (pl.col("baseline_ns") / pl.col("time_ns")).log()
    steps = (
        samples.join(base, on="workload_id", how="left", validate="m:1", maintain_order="left")
        .with_columns(gain=pl.when("solved").then(gain))
        .with_columns(
            x=position.over(_CELL),
            solved=pl.col("solved").cum_max().over(_CELL),
            best=pl.col("gain").cum_max().forward_fill().over(_CELL),
        )
        .with_columns(
            more_solved=(pl.col("solved").cast(pl.Int64).diff().fill_null(pl.col("solved").cast(pl.Int64))).over(_CELL),
            more_gain=pl.col("best").fill_null(0.0).diff().fill_null(pl.col("best").fill_null(0.0)).over(_CELL),
        )
    )
    totals = samples.group_by("entrant").agg(workloads=pl.col("workload_id").n_unique())
    return (
        steps.group_by("entrant", "x")
        .agg(pl.col("more_solved", "more_gain").sum())
        .join(totals, on="entrant", how="left", validate="m:1")
        .sort("entrant", "x")
        .select(
            "entrant",
            "x",
            solved=pl.col("more_solved").cum_sum().over("entrant") / pl.col("workloads"),
            geomean_missing_as_1=(pl.col("more_gain").cum_sum().over("entrant") / pl.col("workloads")).exp(),
        )
    )
