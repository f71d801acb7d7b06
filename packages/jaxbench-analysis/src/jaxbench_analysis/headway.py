"""What each workload has come to: its physical limit, XLA, the expert kernel and the best method."""

import polars as pl

from jaxbench_analysis.speedups import EXPERT

_XLA = "xla"


def headway(table: pl.DataFrame) -> pl.DataFrame:
    """Returns the times that matter of every workload.

    Args:
        table: The table of `Speedups`.

    Returns:
        workload_id, bound_ns, xla_ns, expert_ns, best_ns (of the fastest method, baselines left out), best_method, and
        reached (largest bound / time of anyone): a row per workload, in the order of `table`; null where there is none.
    """
    time, is_method = pl.col("time_ns"), ~pl.col("entrant").is_in([_XLA, EXPERT])
    fastest = time.filter(is_method).arg_min()
    return table.group_by("workload_id", maintain_order=True).agg(
        bound_ns=pl.col("bound_ns").first(),
        xla_ns=time.filter(pl.col("entrant") == _XLA).first(),
        expert_ns=time.filter(pl.col("entrant") == EXPERT).first(),
        best_ns=time.filter(is_method).min(),
        best_method=pl.col("entrant").filter(is_method).get(fastest, null_on_oob=True),
        reached=pl.col("bound_fraction").max(),
    )
