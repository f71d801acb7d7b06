"""Which evaluation stands for an entrant on a workload."""

import polars as pl


def telling_evaluations(frame: pl.DataFrame, workload: str) -> pl.DataFrame:
    """Returns one row per entrant that was evaluated on a workload: the evaluation that tells most of it.

    That is the fastest that passed and is not flagged; then a flagged one; then the latest that failed.

    Args:
        frame: A frame of records.
        workload: Id of the workload.

    Returns:
        entrant, evaluation_id, candidate_digest, candidate_name, outcome, stage, code, reason, flags, time_ns,
        timing_kind, by entrant.
    """
    passed, flagged = pl.col("outcome") == "passed", pl.col("flags").list.len() > 0
    return (
        frame.lazy()
        .filter(pl.col("workload_id") == workload)
        .with_columns(standing=pl.when(passed & ~flagged).then(0).when(passed).then(1).otherwise(2))
        .sort("standing", "time_ns", "created_at", descending=[False, False, True], nulls_last=True)
        .unique("entrant", keep="first", maintain_order=True)
        .sort("entrant")
        .select(
            *("entrant", "evaluation_id", "candidate_digest", "candidate_name", "outcome", "stage", "code", "reason"),
            *("flags", "time_ns", "timing_kind", "role", "workload_digest"),
        )
        .collect()
    )
