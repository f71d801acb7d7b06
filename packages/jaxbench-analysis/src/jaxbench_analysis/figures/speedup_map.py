"""Heat map: the speedup of every entrant on every workload."""

import altair as alt
import polars as pl

from jaxbench_analysis.figures.theme import DIVERGING, ROW, TWO_LINES, data, in_order, rows, title

_CELL_WIDTH = 62
_SATURATED = 3.0
"""Doublings (or halvings) at which the colour is full: 8 times."""


def speedup_map(table: pl.DataFrame, *, baseline: str = "xla") -> alt.LayerChart:
    """Returns a cell per entrant and workload, coloured by the logarithm of its speedup; what has none says why.

    Args:
        table: The table of `Speedups`.
        baseline: What the speedups are over; left out.
    """
    marks = {"failed": "fail", "flagged": "flag", "not_judged": "?", "not_tried": "", "solved": "no time"}
    cells = table.filter(pl.col("entrant") != baseline).select(
        "entrant",
        "workload_id",
        "speedup",
        doublings=pl.col("speedup").log(2),
        text=pl.when(pl.col("speedup").is_null())
        .then(pl.col("state").replace_strict(marks))
        .otherwise(pl.col("speedup").map_elements(_short, pl.String)),
    )
    names, entrants = in_order(table["workload_id"]), in_order(cells["entrant"])
    # Upright labels need no room at the sides, however many entrants there are.
    axis = alt.Axis(
        orient="top",
        labelAngle=-90,
        labelAlign="left",
        labelFontSize=11,
        labelExpr=TWO_LINES,
        labelOffset=-6,
        ticks=False,
        domain=False,
    )
    x = alt.X("entrant:N", title=None, sort=entrants, axis=axis, scale=alt.Scale(domain=entrants))
    y = rows("workload_id", names)
    legend = alt.Legend(
        title=f"speedup over {baseline} (times faster)",
        format="",
        labelExpr="format(pow(2, datum.value), '~r')",
        gradientLength=260,
    )
    colors = alt.Color(
        "doublings:Q",
        scale=alt.Scale(domain=[-_SATURATED, _SATURATED], range=list(DIVERGING), clamp=True, interpolate="rgb"),
        legend=legend,
    )
    there = alt.Chart(data(cells.filter(pl.col("speedup").is_not_null())))
    squares = there.mark_rect(stroke=None).encode(
        x=x, y=y, color=colors, tooltip=["entrant:N", "workload_id:N", "speedup:Q"]
    )
    strong = f"abs(datum.doublings) > {_SATURATED * 0.6}"
    numbers = there.mark_text(fontSize=10, baseline="middle").encode(
        x=x, y=y, text="text:N", color=alt.condition(strong, alt.value("#ffffff"), alt.value("#111111"))
    )
    absent = alt.Chart(data(cells.filter(pl.col("speedup").is_null()))).mark_text(style="soft-text", baseline="middle")
    return alt.LayerChart(
        layer=[squares, numbers, absent.encode(x=x, y=y, text="text:N")],
        title=title(
            f"Speedup over {baseline} by method and workload",
            "fail: no candidate passed; flag: held for review; ?: not judged; empty: not tried",
        ),
        width=alt.Step(_CELL_WIDTH),
        height=alt.Step(ROW),
    )


def _short(value: float) -> str:
    return f"{value:.3g}" if value >= 1 else f"{value:.2g}"
