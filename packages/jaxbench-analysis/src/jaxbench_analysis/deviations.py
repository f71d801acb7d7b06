"""Raw samples of the times that count, each relative to the median of its workload."""

import polars as pl

from jaxbench_analysis.comparable import comparable
from jaxbench_analysis.times import best_times, workload_facts


def sample_deviations(frame: pl.DataFrame | pl.LazyFrame) -> pl.DataFrame:
    """Returns every timed call of each entrant's fastest candidates.

    Args:
        frame: Records of one kind of time, target and release.

    Returns:
        entrant, workload_id, evaluation_id, call (zero-based), sample_ns, deviation_percent (above the median of all
        calls of that entrant and workload): workloads in benchmark order. Empty where no samples were kept.

    Raises:
        MixedRecordsError: If the records may not stand in one aggregate.
    """
    records = comparable(frame)
    best = best_times(records)
    order = workload_facts(records).select("workload_id").with_row_index("order")
    chosen = best.lazy().select("entrant", "workload_id", evaluation_id="evaluations").explode("evaluation_id")
    samples = records.select("evaluation_id", "samples_ns").filter(pl.col("samples_ns").is_not_null())
    middle = pl.col("sample_ns").median().over("entrant", "workload_id")
    return (
        chosen.join(samples, on="evaluation_id", how="inner", validate="m:1")
        .with_columns(call=pl.int_ranges(pl.col("samples_ns").list.len()))
        .explode("samples_ns", "call")
        .rename({"samples_ns": "sample_ns"})
        .with_columns(deviation_percent=(pl.col("sample_ns") / middle - 1) * 100)
        .join(order.lazy(), on="workload_id", how="left", validate="m:1")
        .sort("entrant", "order", "evaluation_id", "call")
        .select("entrant", "workload_id", "evaluation_id", "call", "sample_ns", "deviation_percent")
        .collect()
    )


def sample_summary(deviations: pl.DataFrame) -> pl.DataFrame:
    """Returns how the timed calls of each entrant on each workload spread.

    Args:
        deviations: Rows of `sample_deviations`.

    Returns:
        entrant, workload_id, calls, least_ns, median_ns, p90_ns (90th percentile, interpolated linearly), most_ns, in
        the order of `deviations`.
    """
    time = pl.col("sample_ns")
    return deviations.group_by("entrant", "workload_id", maintain_order=True).agg(
        calls=pl.len(),
        least_ns=time.min(),
        median_ns=time.median(),
        p90_ns=time.quantile(0.9, interpolation="linear"),
        most_ns=time.max(),
    )
