"""Where evaluations end: the taxonomy of failures, and how many get past each stage."""

import polars as pl

from jaxbench_analysis.columns import STAGE
from jaxbench_analysis.comparable import comparable
from jaxbench_analysis.sampling import judged_samples

STEPS = ("judged", *STAGE.categories, "unflagged")
"""Steps of the waterfall: every judged sample, those past each stage, and those that no flag holds back."""

STEP = pl.Enum(STEPS)


def failure_counts(frame: pl.DataFrame | pl.LazyFrame) -> pl.DataFrame:
    """Returns how often candidates failed how. The same end of the same sample counts once, however often evaluated.

    Args:
        frame: Records of one target and release.

    Returns:
        entrant, stage, owner, code, count, share (of the entrant's ends, passed ones included), by entrant, stage in
        the order of the pipeline, and falling count.

    Raises:
        MixedRecordsError: If the records may not stand in one aggregate.
    """
    ends = ["entrant", "workload_id", "candidate_digest", "sample", "outcome", "stage", "owner", "code"]
    records = comparable(frame, timed=False).select(ends).unique()
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
    """Returns how many samples were left after each stage.

    Samples are those of `judged_samples`: none that the infrastructure failed, none twice.

    Args:
        frame: Records of one target and release.

    Returns:
        entrant, step (of `STEPS`), left (samples that got past it), lost (those that ended there), samples (in
        all): a row per entrant and step, in order.

    Raises:
        MixedRecordsError: If the records may not stand in one aggregate.
    """
    judged = judged_samples(comparable(frame, timed=False))
    flagged = (pl.col("outcome") == "passed") & (pl.col("flags").list.len() > 0)
    ends = {"judged": pl.lit(value=False), **{stage: pl.col("stage") == stage for stage in STAGE.categories}}
    lost = {step: end.sum().cast(pl.Int64) for step, end in {**ends, "unflagged": flagged}.items()}
    return (
        judged.group_by("entrant")
        .agg(samples=pl.len().cast(pl.Int64), **lost)
        .unpivot(STEPS, index=["entrant", "samples"], variable_name="step", value_name="lost")
        .with_columns(pl.col("step").cast(STEP))
        .sort("entrant", "step")
        .with_columns(left=pl.col("samples") - pl.col("lost").cum_sum().over("entrant"))
        .select("entrant", "step", "left", "lost", "samples")
        .collect()
    )
