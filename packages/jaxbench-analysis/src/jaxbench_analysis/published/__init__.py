"""Device times that others have published, as records. README.md beside this file says where they are from."""

from importlib import resources

import polars as pl

from jaxbench_analysis.columns import SCHEMA, require_columns

__all__ = ["PUBLISHED_RUN", "published_records", "published_spread"]

PUBLISHED_RUN = "published-v6e"
"""Run id of the published times."""

_TABLE = "v6e.csv"
_TYPES = {
    "workload": pl.String(),
    "version": pl.Int64(),
    "family": pl.String(),
    "role": pl.String(),
    "median_ns": pl.Float64(),
    "mean_ns": pl.Float64(),
    "std_ns": pl.Float64(),
    "min_ns": pl.Float64(),
    "comparable": pl.String(),
    "caveat": pl.String(),
}


def published_records(*, comparable_only: bool = False) -> pl.LazyFrame:
    """Returns the published times as a frame of records: passed, `measured`, source `published`.

    Args:
        comparable_only: Whether to leave out times of something else than the workload as it is now.

    Returns:
        One record per workload and role, with the declared columns. They have no raw samples, digests, bounds, or
        versions of software, since none were published.
    """
    known = _table().select(
        evaluation_id=pl.format("published:v6e:{}:{}", "workload", "role"),
        run_id=pl.lit(PUBLISHED_RUN),
        workload_id="workload",
        workload_version="version",
        family="family",
        candidate_name=pl.format("{} {}", "workload", "role"),
        role="role",
        target=pl.lit("v6e"),
        outcome=pl.lit("passed"),
        timing_kind=pl.lit("measured"),
        clock=pl.lit("device_profiler"),
        flags=pl.lit([], pl.List(pl.String)),
        source=pl.lit("published"),
        time_ns="median_ns",
        entrant="role",
        comparable=pl.col("comparable") == "yes",
        caveat="caveat",
    )
    names = known.collect_schema().names()
    absent = {name: pl.lit(None, dtype) for name, dtype in SCHEMA.items() if name not in names}
    frame = known.with_columns(**absent).select(pl.col(name).cast(dtype) for name, dtype in SCHEMA.items())
    return require_columns(frame.filter("comparable") if comparable_only else frame)


def published_spread() -> pl.DataFrame:
    """Returns what was published of the distribution of runs: median, mean, standard deviation and least, in ns."""
    return _table().select("workload", "role", "median_ns", "mean_ns", "std_ns", "min_ns").collect()


def _table() -> pl.LazyFrame:
    text = resources.files(__name__).joinpath(_TABLE).read_bytes()
    return pl.read_csv(text, schema=_TYPES).lazy()
