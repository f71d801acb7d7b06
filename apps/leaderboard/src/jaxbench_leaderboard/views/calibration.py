"""Page: how far predicted times can be trusted."""

import math
from functools import partial

import polars as pl
import streamlit as st

from jaxbench_analysis import figures
from jaxbench_analysis.selecting import NONE
from jaxbench_analysis.tables import interval
from jaxbench_analysis.tables import milliseconds as in_milliseconds
from jaxbench_leaderboard.charts import chart
from jaxbench_leaderboard.columns import Columns, Shown, count, factor, milliseconds, share, text
from jaxbench_leaderboard.computing import Pairs, pairs
from jaxbench_leaderboard.page_parts import head, results_or_stop
from jaxbench_leaderboard.showing import answered, table

_WORST = 10


def calibration() -> None:
    """Shows predicted against measured times."""
    head("Calibration", "Predicted times against measured ones, and how far to trust them.")
    results = results_or_stop()
    predicted = results.frame.filter(pl.col("timing_kind") == "predicted")
    if predicted.is_empty():
        st.info("There are 0 predicted times here, so there is nothing to calibrate.", icon=":material/straighten:")
        st.markdown("`jaxbench run` predicts times where there is no TPU.")
        return
    chosen: dict[str, str | None] = {}
    with st.sidebar:
        for column, label in (("target", "Target"), ("predictor", "Predictor"), ("release", "Release")):
            values = _values(predicted, column)
            value = st.selectbox(label, values, key=column, bind="query-params", filter_mode=None)
            chosen[column] = None if value == NONE else value
            predicted = predicted.filter(pl.col(column).eq_missing(pl.lit(chosen[column])))
    with answered("The calibration"):
        found = pairs(results, **chosen)
        if found.pairs.is_empty():
            st.info(f"{predicted.height:,} predicted times, and no measured time of the same thing.")
            return
        _trust(found)
        _scatter(found)
        _families(found)
        _misses(found)


def _values(predicted: pl.DataFrame, column: str) -> list[str]:
    """Returns what can be chosen, newest first: before all that of predictors that were fitted to measured times."""
    named = predicted.select(pl.col(column).fill_null(NONE), fitted=pl.col("calibrated").fill_null(value=False))
    ordered = named.group_by(column).agg(pl.col("fitted").any()).sort("fitted", column, descending=True)
    return ordered[column].to_list()


def _trust(found: Pairs) -> None:
    """Says in words how far to trust predictions."""
    row = found.summary.row(0, named=True)
    half, nine = (math.exp(row[off]) for off in ("median_abs_log_ratio", "p90_abs_log_ratio"))
    rank = "" if row["spearman"] is None else f" Their order agrees with a rank correlation of {row['spearman']:.2f}."
    published = "published" in found.pairs["source"].cast(pl.String).to_list()
    st.markdown(
        f"**How far to trust a prediction:** of {row['pairs']} predicted times, half are within a factor of "
        f"**{half:.2f}** of the measured one, and nine in ten within **{nine:.2f}**. {row['within']:.0%} of measured "
        f"times lie inside the predicted 80% interval, which should be 80%.{rank} A difference of less than "
        f"{nine:.1f} times between predictions of different programs may be no difference on a TPU."
    )
    if published:
        st.caption(
            "The measured times are those that others have published of XLA. They are taken to be of the code of our "
            "baseline, and were compiled by an older XLA, which made other programs of some workloads; with that one, "
            "predictions come nearer (docs/predictor.md)."
        )


def _scatter(found: Pairs) -> None:
    st.subheader("Predicted over measured", anchor=False)
    chart(
        partial(figures.calibration_scatter, found.pairs),
        _with_factor(found.pairs),
        _pair_columns(found),
        alt_text="A point per workload: predicted over measured time, with the diagonal and the band that holds 90%",
    )


def _families(found: Pairs) -> None:
    st.subheader("By family", anchor=False)
    factors = found.summary.with_columns(
        half=pl.col("median_abs_log_ratio").exp(), nine=pl.col("p90_abs_log_ratio").exp()
    )
    table(
        factors,
        {
            "family": text("family"),
            "pairs": count("pairs"),
            "half": factor("half within", digits=2),
            "nine": factor("90% within", digits=2),
            "within": share("inside the 80% interval"),
            "spearman": Shown("rank correlation", format="%.2f"),
        },
        alt_text="Error of predictions by family of workloads",
    )


def _misses(found: Pairs) -> None:
    st.subheader("Worst misses", anchor=False)
    worst = found.pairs.sort(pl.col("log_ratio").abs(), descending=True).head(_WORST)
    table(_with_factor(worst), _pair_columns(found), alt_text="The pairs that differ most")


def _with_factor(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.with_columns(factor=pl.col("log_ratio").exp(), interval=interval("low_ns", "high_ns", in_milliseconds))


def _pair_columns(found: Pairs) -> Columns:
    several = found.pairs["role"].n_unique() > 1
    return {
        "workload_id": text("workload"),
        **({"role": text("role")} if several else {}),
        "family": text("family"),
        "predicted_ns": milliseconds("predicted"),
        "measured_ns": milliseconds("measured"),
        "factor": factor("ratio", "Predicted over measured time.", digits=2),
        "interval": text("80% interval (ms)", "That the prediction gives itself."),
    }


calibration()
