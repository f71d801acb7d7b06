"""Headroom: how much of the physical limit XLA and the expert kernels reach."""

import altair as alt
import polars as pl

from jaxbench_analysis.figures.theme import PALETTE, ROW, WIDTH, data, in_order, rows, title
from jaxbench_analysis.speedups import EXPERT


def headroom(table: pl.DataFrame, *, baseline: str = "xla") -> alt.LayerChart:
    """Returns a row per workload: the share of the physical limit that the baseline, the expert and the best reach.

    Args:
        table: The table of `Speedups`, workloads in the order to show; those without a bound are left out.
        baseline: Entrant that a bar is drawn to.
    """
    reached = table.drop_nulls("bound_fraction").select("workload_id", "entrant", "bound_fraction")
    there = set(reached["workload_id"])
    names = [name for name in in_order(table["workload_id"]) if name in there]
    y = rows("workload_id", names)
    # A time below the bound is a flag and not shown; rounding may leave one just above.
    x = alt.X(
        "bound_fraction:Q",
        title="share of the physical limit reached (%)",
        scale=alt.Scale(domain=[0, 1], clamp=True),
        axis=alt.Axis(format=".0%", orient="top", tickCount=5),
    )
    tips = ["workload_id:N", "entrant:N", alt.Tooltip("bound_fraction:Q", format=".1%")]
    is_other = ~pl.col("entrant").is_in([baseline, EXPERT])
    best = reached.filter(is_other).sort("bound_fraction", descending=True).unique("workload_id", keep="first")
    base = alt.Chart(data(reached.filter(pl.col("entrant") == baseline)))
    expert = alt.Chart(data(reached.filter(pl.col("entrant") == EXPERT)))
    said = [f"bar: {baseline}", "diamond: expert kernel", *(["circle: best method"] if best.height else [])]
    return alt.LayerChart(
        layer=[
            base.mark_bar(color=PALETTE[5], height=ROW * 0.6).encode(x=x, y=y, tooltip=tips),
            alt.Chart(data(best))
            .mark_point(shape="circle", color=PALETTE[1], filled=True, opacity=1, size=75)
            .encode(x=x, y=y, tooltip=tips),
            expert.mark_point(style="ink-point", shape="diamond", filled=True, opacity=1, size=75).encode(
                x=x, y=y, tooltip=tips
            ),
        ],
        title=title("How near to the physical limit", f"{'; '.join(said)}; what is left to 100% is headroom"),
        width=WIDTH,
        height=alt.Step(ROW),
    )
