"""Page: methods side by side."""

import polars as pl
import streamlit as st

from jaxbench_analysis import figures
from jaxbench_leaderboard.computing import curves, growth, wins
from jaxbench_leaderboard.page_parts import Scene, scene
from jaxbench_leaderboard.showing import answered, chart, number, table, text

_AT_FIRST = 4
"""Methods that are shown before any is chosen, best first."""

_SHOWN_P = (0.5, 1.0, 1.5, 2.0, 4.0)
"""Values of p in the table beside the curves."""


def methods(at: Scene) -> None:
    """Shows the comparison of the methods that are chosen."""
    ranked = at.compared.standings["entrant"].to_list()
    others = [name for name in ranked if name != at.filters.baseline]
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
    columns = {name: number(f"p = {float(name):.2g}", "percent") for name in wide.columns if name != "entrant"}
    chart(
        figures.fast_p_curves(shares, baseline=at.filters.baseline),
        wide,
        {"entrant": text("method", pinned=True), **columns},
        alt_text="Share of workloads solved more than p times as fast as the baseline, over p, a line per method",
    )


def _map(at: Scene, chosen: list[str]) -> None:
    st.subheader("Every workload", anchor=False)
    rows = at.compared.speedups.table.filter(pl.col("entrant").is_in(chosen))
    wide = rows.pivot("entrant", index="workload_id", values="speedup")
    chart(
        figures.speedup_map(rows, baseline=at.filters.baseline),
        wide,
        {"workload_id": text("workload", pinned=True), **{name: number(f"{name} (×)", "%.3f") for name in chosen}},
        alt_text="Heat map of speedups, a row per workload and a column per method",
    )


def _progress(at: Scene, chosen: list[str]) -> None:
    st.subheader("Progress by sample", anchor=False)
    grown = growth(at.compared).filter(pl.col("entrant").is_in(chosen))
    if grown.is_empty():
        st.info("None of these has samples: baselines have none.")
        return
    columns = {
        "entrant": text("method", pinned=True),
        "x": number("samples per workload", "%d"),
        "solved": number("workloads solved", "percent"),
        "geomean_missing_as_1": number("best speedup so far (×)", "%.3f"),
    }
    solved, gained = figures.progress_panels(grown, baseline=at.filters.baseline)
    chart(solved, grown, columns, alt_text="Share of workloads solved after each sample, a line per method")
    chart(gained, grown, columns, alt_text="Geometric mean of the best speedup so far after each sample")


def _wins(at: Scene, chosen: list[str]) -> None:
    st.subheader("Wins, ties and losses", anchor=False)
    own = st.selectbox("Seen from", chosen, key="own", bind="query-params")
    others = tuple(name for name in [at.filters.baseline, *chosen] if name != own)
    counts = wins(at.compared, own, others)
    columns = {
        "entrant": text("against", pinned=True),
        "wins": number("wins", "%d"),
        "ties": number("ties", "%d"),
        "losses": number("losses", "%d"),
        "win_share": number("wins of these", "percent"),
        "win_low": number("95% from", "percent"),
        "win_high": number("to", "percent"),
        "not_tested": number("not tested", "%d"),
        "only_own": number("only this has a time", "%d"),
        "only_other": number("only the other has", "%d"),
        "neither": number("neither has", "%d"),
    }
    if counts.select(pl.sum_horizontal("wins", "ties", "losses").sum()).item() == 0:
        st.info("No difference here can be tested: that takes raw samples, or predicted intervals.")
        table(counts, columns, alt_text="Wins, ties and losses")
        return
    chart(
        figures.outcome_bars(counts, own),
        counts,
        columns,
        alt_text="A bar per other method: workloads won, tied and lost",
    )


scene("Methods", "Two or more methods side by side: how much they solve, how fast, and how soon.", methods)
