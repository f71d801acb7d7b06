"""How well predicted times agree with measured ones."""

import polars as pl

from jaxbench_analysis.columns import require_columns
from jaxbench_analysis.comparable import comparable
from jaxbench_analysis.published import published_records

ALL = "all"
"""Name of the row over all families."""

_FACTS = ("source", "measured_ns")
_KEY = ("target", "workload_id", "workload_version", "role")
_SAME_CODE = "xla"
"""Role of the baseline that is the workload itself, whoever times it."""


def calibration_pairs(predicted: pl.DataFrame | pl.LazyFrame, measured: pl.DataFrame | pl.LazyFrame) -> pl.DataFrame:
    """Pairs predicted times with measured times of the same thing.

    Evaluations pair by target, workload digest and candidate digest. Published times have no digests: those of XLA pair
    with the baseline `xla` by target, workload and version, and only those that are comparable. That the code which was
    timed is that of our baseline is then an assumption, and `source` says so. Published expert kernels are others than
    ours and pair with nothing.

    Args:
        predicted: A frame of records; those with predicted times count.
        measured: A frame of records, which may be the same; those with measured times count.

    Returns:
        target, workload_id, family, role, candidate_digest, source (of the measured time), predicted_ns, low_ns,
        high_ns, measured_ns, log_ratio (natural logarithm of predicted over measured): one row per pair. Times of
        repeated evaluations are their median.

    Raises:
        MixedRecordsError: If either side mixes what may not stand together; the two differ in kind only.
    """
    guesses = _times(comparable(_of_kind(predicted, "predicted"))).drop(_FACTS)
    facts = _times(comparable(_of_kind(measured, "measured")))
    exact = ("target", "workload_digest", "candidate_digest")
    digested = pl.col("candidate_digest").is_not_null()
    pairs = guesses.join(facts.filter(digested).select(*exact, *_FACTS), on=exact, how="inner", validate="1:1")
    undigested = facts.filter(~digested & pl.col("comparable")).select(*_KEY, *_FACTS)
    baselines = guesses.filter(pl.col("role") == _SAME_CODE)
    published = baselines.join(undigested, on=_KEY, how="inner", validate="m:1")
    both = pl.concat([pairs, published.select(pairs.collect_schema().names())])
    return (
        both.with_columns(log_ratio=(pl.col("predicted_ns") / pl.col("measured_ns")).log())
        .select(
            *("target", "workload_id", "family", "role", "candidate_digest", "source"),
            *("predicted_ns", "low_ns", "high_ns", "measured_ns", "log_ratio"),
        )
        .sort("workload_id", "role", "candidate_digest")
        .collect()
    )


def pairs_within(every: pl.LazyFrame) -> pl.DataFrame:
    """Pairs the predicted times of a frame with the measured ones in it, or, where it has none, the published ones.

    Args:
        every: A frame of records of all kinds.

    Returns:
        Rows of `calibration_pairs`.

    Raises:
        MixedRecordsError: If either side mixes what may not stand together.
    """
    measured = every.filter((pl.col("timing_kind") == "measured") & (pl.col("source") == "evaluation"))
    has_own = not measured.head(1).collect().is_empty()
    return calibration_pairs(every, measured if has_own else published_records())


def calibration(pairs: pl.DataFrame) -> pl.DataFrame:
    """Summarises pairs of predicted and measured times, over all and per family.

    Args:
        pairs: Rows of `calibration_pairs`.

    Returns:
        family (`all` first), pairs, median_abs_log_ratio, p90_abs_log_ratio (90th percentile, interpolated linearly),
        spearman (rank correlation, ties by mean rank; null below 3 pairs or where one side does not vary), within
        (share of measured times inside the predicted 80% interval).
    """
    families = pairs.with_columns(pl.col("family").fill_null("unknown"))
    every = pl.concat([pairs.with_columns(family=pl.lit(ALL)), families])
    off = pl.col("log_ratio").abs()
    rho = pl.corr("predicted_ns", "measured_ns", method="spearman")
    varied = (pl.col("predicted_ns").n_unique() > 1) & (pl.col("measured_ns").n_unique() > 1)
    return (
        every.group_by("family")
        .agg(
            pairs=pl.len(),
            median_abs_log_ratio=off.median(),
            p90_abs_log_ratio=off.quantile(0.9, interpolation="linear"),
            spearman=pl.when((pl.len() > 2) & varied).then(rho),
            within=pl.col("measured_ns").is_between("low_ns", "high_ns").mean(),
        )
        .sort(pl.col("family") != ALL, "family")
    )


def _of_kind(frame: pl.DataFrame | pl.LazyFrame, kind: str) -> pl.LazyFrame:
    passed = pl.col("outcome") == "passed"
    return require_columns(frame.lazy()).filter((pl.col("timing_kind") == kind) & passed)


def _times(frame: pl.LazyFrame) -> pl.LazyFrame:
    one = (*_KEY, "workload_digest", "candidate_digest", "source", "comparable")
    time = pl.col("time_ns").median()
    return frame.group_by(one).agg(
        pl.col("family").first(),
        time.alias("predicted_ns"),
        time.alias("measured_ns"),
        pl.col("low_ns", "high_ns").median(),
    )
