"""Page: methods ranked against XLA and the expert kernels."""

import io
from functools import partial

import polars as pl
import streamlit as st

from jaxbench_analysis import figures
from jaxbench_analysis.tables import fine_ratio, interval
from jaxbench_leaderboard.charts import chart
from jaxbench_leaderboard.columns import Columns, count, factor, share, text
from jaxbench_leaderboard.page_parts import Scene, scene
from jaxbench_leaderboard.showing import literal, table

_SORTS: dict[str, tuple[str, bool]] = {
    "rank": ("rank", False),
    "score": ("score", True),
    "geomean solved": ("geomean_solved", True),
    "solved": ("solved", True),
    "correct samples": ("correct_share", True),
    "share of expert gap": ("median_gap_recovered", True),
    "name": ("entrant", False),
}
"""Orders by their name in the URL: column, and whether the largest comes first."""


def leaderboard(at: Scene) -> None:
    """Shows the ranking."""
    shown = at.compared.standings
    if shown["score"].null_count() == shown.height:
        st.warning(f"Nothing has a time to compare with `{at.filters.baseline}`, so nothing is ranked.")
    order = st.selectbox("Sort by", list(_SORTS), key="sort", bind="query-params", filter_mode=None, width=260)
    column, largest_first = _SORTS[order]
    ordered = shown.sort(column, descending=largest_first, nulls_last=True, maintain_order=True)
    workloads = int(shown["workloads"].to_list()[0])
    table(
        _readable(ordered), _columns(workloads), alt_text="Ranking of methods with score, interval, counts and shares"
    )
    _downloads(ordered)
    st.caption(
        f"Score: geometric mean of speedups over {at.filters.baseline} on all {workloads} workloads; one without a "
        "speedup counts as 1, as if the baseline ran there. Intervals are the noise of the times. The address of this "
        "page holds filters and order: share it as it is."
    )
    _leader(at)


def _leader(at: Scene) -> None:
    """Shows the speedups of whoever leads besides the baseline; nothing where nobody else has any."""
    others = at.compared.standings.filter(pl.col("entrant") != at.filters.baseline).drop_nulls("geomean_solved")
    if others.is_empty():
        return
    leader = str(others.sort("rank", "entrant")["entrant"].to_list()[0])
    own = at.compared.speedups.table.filter(pl.col("entrant") == leader)
    st.subheader("Who leads, workload by workload", anchor=False)
    st.markdown(literal(leader))
    chart(
        partial(figures.speedup_bars, at.compared.speedups.table, leader, baseline=at.filters.baseline),
        own,
        {"workload_id": text("Workload"), "speedup": factor("Speedup", digits=3)},
        alt_text=f"A bar per workload: speedup of the leading method over {at.filters.baseline}",
    )


def _columns(workloads: int) -> Columns:
    return {
        "entrant": text("Method"),
        "place": text("Rank", "Methods whose intervals overlap share a rank."),
        "score": factor("Score", "Geometric mean of the speedups on all workloads, missing ones as 1.", digits=4),
        "interval": text("95% interval (×)", "Of the score, from the noise of the times."),
        "solved": count(f"Solved of {workloads}", "Workloads with a correct candidate."),
        "correct_share": share("Correct", "Samples that passed and are not flagged, of those judged."),
        "median_gap_recovered": share("Expert gap", "Median share of the way from XLA's time to the expert's."),
        "geomean_solved": factor("Geomean solved", "Geometric mean of the speedups that there are."),
        "correct_interval": text("95% of correct", "Wilson's interval."),
        "samples": count("Samples", "Samples that were judged."),
        "median_bound_fraction": share("Physical limit", "Median of bound / time."),
        "flagged": count("Flagged", "Workloads held for review."),
        "not_judged": count("Not judged", "Workloads where only the infrastructure failed."),
    }


def _readable(standings: pl.DataFrame) -> pl.DataFrame:
    place = pl.when("tied").then(pl.format("{}=", "rank")).otherwise(pl.col("rank").cast(pl.String))
    return standings.with_columns(
        place=place,
        interval=interval("low", "high", fine_ratio),
        correct_interval=interval("correct_low", "correct_high", lambda share: f"{share:.0%}"),
    )


def _downloads(standings: pl.DataFrame) -> None:
    stream = io.BytesIO()
    standings.write_parquet(stream)
    with st.container(horizontal=True):
        st.download_button(
            "CSV", standings.write_csv(), "leaderboard.csv", "text/csv", icon=":material/download:", on_click="ignore"
        )
        st.download_button(
            "Parquet",
            stream.getvalue(),
            "leaderboard.parquet",
            "application/vnd.apache.parquet",
            icon=":material/download:",
            on_click="ignore",
        )


scene(
    "Leaderboard",
    "Who writes the fastest correct TPU kernels for 50 JAX workloads, against XLA and tuned expert kernels.",
    leaderboard,
)
