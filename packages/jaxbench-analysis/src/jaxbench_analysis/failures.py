"""Where evaluations end: the taxonomy of failures, and how many get past each stage."""

import polars as pl

from jaxbench_analysis.columns import STAGE
from jaxbench_analysis.comparable import comparable

STEPS = ("evaluated", *STAGE.categories, "unflagged")
"""Steps of the waterfall: every judged evaluation, those past each stage, and those that no flag holds back."""

STEP = pl.Enum(STEPS)


def failure_counts(frame: pl.DataFrame | pl.LazyFrame) -> pl.DataFrame:
    """Returns how often evaluations failed how.

    Args:
        frame: Records of one target and release.

    Returns:
        entrant, stage, owner, code, count, share (of the entrant's evaluations, passed ones included), by entrant,
        stage in the order of the pipeline, and falling count.

    Raises:
        MixedRecordsError: If the records may not stand in one aggregate.
    """
    records = comparable(frame, timed=False)
    totals = records.group_by("entrant").agg(total=pl.len())
    failed = records.filter(pl.col("outcome") == "failed")
    return (
        failed.group_by("entrant", "stage", "owner", "code")
        .agg(count=pl.len())
        .join(totals, on="entrant", how="left", validate="m:1")
        .with_columns(share=pl.col("count") / pl.col("total"))
        .sort("entrant", "stage", "count", "code", descending=[False, False, True, False])
        .drop("total")
        .collect()
    )


def waterfall(frame: pl.DataFrame | pl.LazyFrame) -> pl.DataFrame:
    """Returns how many judged evaluations were left after each stage.

    Infrastructure failures are left out: they are nobody's.

    Args:
        frame: Records of one target and release.

    Returns:
        entrant, step (of `STEPS`), left (evaluations that got past it), lost (those that ended there), judged (in
        all): a row per entrant and step, in order.

    Raises:
        MixedRecordsError: If the records may not stand in one aggregate.
    """
    records = comparable(frame, timed=False)
    judged = records.filter(pl.col("owner").eq_missing(pl.lit("infrastructure")).not_())
    flagged = (pl.col("outcome") == "passed") & (pl.col("flags").list.len() > 0)
    ends = {"evaluated": pl.lit(value=False), **{stage: pl.col("stage") == stage for stage in STAGE.categories}}
    lost = {step: end.sum().cast(pl.Int64) for step, end in {**ends, "unflagged": flagged}.items()}
    return (
        judged.group_by("entrant")
        .agg(judged=pl.len().cast(pl.Int64), **lost)
        .unpivot(STEPS, index=["entrant", "judged"], variable_name="step", value_name="lost")
        .with_columns(pl.col("step").cast(STEP))
        .sort("entrant", "step")
        .with_columns(left=pl.col("judged") - pl.col("lost").cum_sum().over("entrant"))
        .select("entrant", "step", "left", "lost", "judged")
        .collect()
    )
