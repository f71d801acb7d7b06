"""Bounds for records that state none, as published times do."""

import polars as pl

from jaxbench_analysis.columns import SCHEMA, require_columns

BOUND_SCHEMA = pl.Schema(
    {
        "target": pl.String(),
        "workload_id": pl.String(),
        **{name: SCHEMA[name] for name in ("bound_flops", "bound_hbm_bytes", "bound_compute_ns", "bound_hbm_ns")},
    }
)
"""Columns of the bounds of workloads on targets."""


def with_bounds(frame: pl.LazyFrame, bounds: pl.DataFrame) -> pl.LazyFrame:
    """Returns records in which those that state no bound have that of their workload and target.

    Times of something else than the workload as it is now (`comparable` is false) stay without one.

    Args:
        frame: A frame of records.
        bounds: Rows of `BOUND_SCHEMA`, one per target and workload.
    """
    key = ["target", "workload_id"]
    names = [name for name in BOUND_SCHEMA if name not in key]
    lacking = pl.col("bound_ns").is_null() & pl.col("comparable")
    joined = require_columns(frame).join(
        bounds.lazy(), on=key, how="left", validate="m:1", suffix="_known", maintain_order="left"
    )
    filled = joined.with_columns(
        pl.when(lacking).then(f"{name}_known").otherwise(name).alias(name) for name in names
    ).with_columns(bound_ns=pl.max_horizontal("bound_compute_ns", "bound_hbm_ns"))
    return filled.select(SCHEMA.names())
