"""Page: methods side by side."""

from functools import partial

import altair as alt
import polars as pl
import streamlit as st

from jaxbench_analysis import figures
from jaxbench_leaderboard.charts import chart
from jaxbench_leaderboard.columns import count, factor, share, text
from jaxbench_leaderboard.computing import curves, growth, wins
from jaxbench_leaderboard.page_parts import Scene, scene
from jaxbench_leaderboard.showing import answered, table

_AT_FIRST = 4
"""Methods that are shown before any is chosen, best first."""

_SHOWN_P = (0.5, 1.0, 1.5, 2.0, 4.0)
"""Values of p in the table beside the curves."""


def methods(at: Scene) -> None:
    """Shows the comparison of the methods that are chosen."""
    ranked = at.compared.standings["entrant"].to_list()
    others = [one for one in ranked if one != at.filters.baseline]
    if not others:
        st.info(f"There is nothing here beside `{at.filters.baseline}` to compare.")
        return
    chosen = st.multiselect("Methods", others, default=others[:_AT_FIRST], key="methods", bind="query-params")
    if not chosen:
        st.info("Choose a method.")
        return
    for show in (_curves, _map, _progress, _wins):
        with answered("This part"):
            show(at, chosen)


def _curves(at: Scene, chosen: list[str]) -> None:
    st.subheader("Solved more than p times as fast", anchor=False)
    shares = curves(at.compared, tuple(chosen))
    nearest = [min(shares["p"].unique(), key=lambda have, want=want: abs(have - want)) for want in _SHOWN_P]
    wide = shares.filter(pl.col("p").is_in(nearest)).pivot("p", index="entrant", values="fast_p")
    columns = {p: share(f"p = {float(p):.2g}") for p in wide.columns if p != "entrant"}
    chart(
        partial(figures.fast_p_curves, shares, baseline=at.filters.baseline),
        wide,
        {"entrant": text("method"), **columns},
        alt_text="Share of workloads solved more than p times as fast as the baseline, over p, a line per method",
    )


def _map(at: Scene, chosen: list[str]) -> None:
    st.subheader("Every workload", anchor=False)
    rows = at.compared.speedups.table.filter(pl.col("entrant").is_in(chosen))
    wide = rows.pivot("entrant", index="workload_id", values="speedup")
    chart(
        partial(figures.speedup_map, rows, baseline=at.filters.baseline),
        wide,
        {"workload_id": text("workload"), **{one: factor(one) for one in chosen}},
        alt_text="Heat map of speedups, a row per workload and a column per method",
    )


def _progress(at: Scene, chosen: list[str]) -> None:
    st.subheader("Progress by sample", anchor=False)
    grown = growth(at.compared).filter(pl.col("entrant").is_in(chosen))
    if grown.is_empty():
        st.info("None of these has samples: baselines have none.")
        return
    columns = {
        "entrant": text("method"),
        "x": count("samples per workload"),
        "solved": share("workloads solved"),
        "geomean_missing_as_1": factor("best speedup so far"),
    }
    solved, gained = (partial(_panel, grown, at.filters.baseline, place) for place in (0, 1))
    chart(solved, grown, columns, alt_text="Share of workloads solved after each sample, a line per method")
    st.caption("Below, a workload that has no speedup yet counts as 1, as if the baseline ran there.")
    chart(gained, grown, columns, alt_text="Geometric mean of the best speedup so far after each sample")


def _panel(grown: pl.DataFrame, baseline: str, place: int) -> alt.Chart:
    return figures.progress_panels(grown, baseline=baseline)[place]


def _wins(at: Scene, chosen: list[str]) -> None:
    st.subheader("Wins, ties and losses", anchor=False)
    ranked = at.compared.standings["entrant"].to_list()
    own = st.selectbox("Seen from", chosen, key="own", bind="query-params")
    others = tuple(one for one in ranked if one != own and one in {at.filters.baseline, *chosen})
    counts = wins(at.compared, own, others)
    columns = {
        "entrant": text("against"),
        "wins": count("wins"),
        "ties": count("ties"),
        "losses": count("losses"),
        "win_share": share("wins of these"),
        "win_low": share("95% from"),
        "win_high": share("to"),
        "not_tested": count("not tested"),
        "only_own": count("only this has a time"),
        "only_other": count("only the other has"),
        "neither": count("neither has"),
    }
    if counts.select(pl.sum_horizontal("wins", "ties", "losses").sum()).item() == 0:
        st.info("No difference here can be tested: that takes raw samples, or predicted intervals.")
        table(counts, columns, alt_text="Wins, ties and losses")
        return
    chart(
        partial(figures.outcome_bars, counts, own),
        counts,
        columns,
        alt_text="A bar per other method: workloads won, tied and lost",
    )


scene("Methods", "Two or more methods side by side: how much they solve, how fast, and how soon.", methods)
