"""Progress: how what a method has found grows with its samples, or with what they cost."""

from typing import Literal

import altair as alt
import polars as pl

from jaxbench_analysis.figures.theme import WIDTH, color, dash, data, in_order, log_ticks, title

_TITLES = {"samples": "samples per workload", "cost": "cost per workload (US dollars)"}


def progress(
    growth: pl.DataFrame, *, by: Literal["samples", "cost"] = "samples", baseline: str = "xla"
) -> alt.VConcatChart:
    """Returns both panels of `progress_panels`, one above the other."""
    return alt.VConcatChart(
        vconcat=list(progress_panels(growth, by=by, baseline=baseline)),
        title=title(
            f"Progress by {by}",
            "in the lower panel a workload that has no speedup yet counts as 1, as if the baseline ran",
        ),
    )


def progress_panels(
    growth: pl.DataFrame, *, by: Literal["samples", "cost"] = "samples", baseline: str = "xla"
) -> tuple[alt.Chart, alt.Chart]:
    """Returns two panels over samples or cost: workloads solved, and geometric mean of the best speedup so far.

    Args:
        growth: Rows of `best_so_far`.
        by: What x is.
        baseline: What the speedups are over.
    """
    names = in_order(growth["entrant"])
    last = max(growth["x"].to_list(), default=1.0)
    end = last + 0.5 if by == "samples" else last * 1.02
    ends = growth.group_by("entrant", maintain_order=True).last().with_columns(x=pl.lit(end))
    shown = pl.concat([growth, ends.select(growth.columns)])
    gains = [*growth["geomean_missing_as_1"].to_list(), 1.0]
    low, high = min(gains) / 1.1, max(gains) * 1.1
    axis = alt.Axis(tickMinStep=1, format="~r") if by == "samples" else alt.Axis(format="~r")
    x = alt.X("x:Q", title=_TITLES[by], axis=axis, scale=alt.Scale(nice=False))
    lines = (
        alt.Chart(data(shown))
        .mark_line(interpolate="step-after", strokeWidth=2.2)
        .encode(x=x, color=color("entrant", names, lines=True), strokeDash=dash("entrant", names))
    )
    solved = alt.Y(
        "solved:Q",
        title="workloads solved (%)",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format=".0%", tickCount=5),
    )
    gain = alt.Y(
        "geomean_missing_as_1:Q",
        title=["best speedup so far over", f"{baseline} (geometric mean)"],
        axis=alt.Axis(values=log_ticks(low, high), format="~r"),
        scale=alt.Scale(type="log", domain=[low, high], nice=False),
    )
    upper, lower = (lines.encode(y=y).properties(width=WIDTH, height=200) for y in (solved, gain))
    return upper, lower
