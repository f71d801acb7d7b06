"""The one ranking. The command line, exports and the app call it."""

from collections.abc import Sequence

import polars as pl

from jaxbench_analysis.speedups import DRAWS, Speedups, speedups
from jaxbench_analysis.summaries import summaries

RANKING_SCHEMA = pl.Schema(
    {
        "rank": pl.Int64(),
        "tied": pl.Boolean(),
        "entrant": pl.String(),
        "score": pl.Float64(),
        "low": pl.Float64(),
        "high": pl.Float64(),
        "solved": pl.Int64(),
        "compared": pl.Int64(),
        "workloads": pl.Int64(),
        "geomean_solved": pl.Float64(),
    }
)


def ranking(
    frame: pl.DataFrame | pl.LazyFrame,
    *,
    baseline: str = "xla",
    workloads: Sequence[str] | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> pl.DataFrame:
    """Ranks the entrants of records of one kind of time, target and release. Arguments and errors as `speedups`."""
    return rank_speedups(speedups(frame, baseline=baseline, workloads=workloads, draws=draws, seed=seed))


def rank_speedups(compared: Speedups) -> pl.DataFrame:
    """Ranks entrants.

    score = exp(sum of ln speedup / N) over the N workloads of the table, where a workload without a speedup adds 0, as
    if the baseline ran there. `low` and `high` are its 95% interval from the noise of the times; where that is unknown,
    the score stands for both. rank = 1 + the number of entrants whose interval lies wholly above, so that entrants
    whose intervals overlap share a rank unless a third one tells them apart. `tied` says that a rank is shared. An
    entrant without any speedup has no score and no rank, and comes last.

    Args:
        compared: The speedups.

    Returns:
        The columns of `RANKING_SCHEMA`, by rank, then score, then name.
    """
    score = pl.col("geomean_all_missing_as_1")
    scored = summaries(compared).with_columns(
        score=score, low=pl.col(f"{score.meta.output_name()}_low"), high=pl.col(f"{score.meta.output_name()}_high")
    )
    lows = scored.select(pl.coalesce("low", "score").drop_nulls()).to_series()
    above = [None if high is None else int((lows > high).sum()) for high in _tops(scored)]
    ranked = scored.with_columns(pl.Series("rank", above, pl.Int64) + 1)
    tied = pl.col("rank").is_not_null() & (pl.len().over("rank") > 1)
    return (
        ranked.with_columns(tied=tied)
        .sort("rank", "score", "entrant", descending=[False, True, False], nulls_last=True)
        .select(pl.col(name).cast(dtype) for name, dtype in RANKING_SCHEMA.items())
    )


def _tops(scored: pl.DataFrame) -> list[float | None]:
    return scored.select(pl.coalesce("high", "score")).to_series().to_list()
