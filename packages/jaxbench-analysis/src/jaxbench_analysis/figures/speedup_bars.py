"""Speedup of one entrant per workload, against the XLA line and the expert's mark."""

import altair as alt
import polars as pl

from jaxbench_analysis.figures.theme import FASTER, NO_TIME, ROW, SLOWER, WIDTH, data, log_ticks, rows, title
from jaxbench_analysis.speedups import EXPERT


def speedup_bars(table: pl.DataFrame, entrant: str, *, baseline: str = "xla") -> alt.LayerChart:
    """Returns bars from 1 to the speedup of `entrant`, with 95% intervals, beside the expert's speedup.

    Args:
        table: The table of `Speedups`.
        entrant: Whose bars.
        baseline: What the speedups are over; for the labels.
    """
    shown = ["workload_id", "speedup", "speedup_low", "speedup_high", "time_ns", "state"]
    own = table.filter(pl.col("entrant") == entrant).select(shown)
    is_mark = (pl.col("entrant") == EXPERT) & (entrant != EXPERT) & pl.col("speedup").is_not_null()
    expert = table.filter(is_mark).select(shown)
    names = own["workload_id"].to_list()
    y = rows("workload_id", names)
    ends = pl.concat([own, expert]).select(pl.min_horizontal("speedup", "speedup_low").min().alias("low"), high=_top())
    low, high = min(0.8, ends["low"].item() or 1.0) * 0.9, max(1.25, ends["high"].item() or 1.0) * 1.1
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    x = alt.X(
        "speedup:Q",
        title=f"speedup over {baseline} (times faster, logarithmic)",
        scale=scale,
        axis=alt.Axis(values=log_ticks(low, high), format="~r", orient="top"),
    )
    missing = own.filter(pl.col("speedup").is_null()).with_columns(why=pl.col("state").replace_strict(NO_TIME))
    base = alt.Chart(data(own.filter(pl.col("speedup").is_not_null())))
    tips = [
        alt.Tooltip("workload_id:N"),
        alt.Tooltip("speedup:Q", format=".3r"),
        alt.Tooltip("time_ns:Q", format=",.0f"),
    ]
    bars = base.mark_bar(height=ROW * 0.6).encode(
        x=x,
        x2=alt.datum(1.0),
        y=y,
        color=alt.condition("datum.speedup >= 1", alt.value(FASTER), alt.value(SLOWER)),
        tooltip=tips,
    )
    intervals = base.mark_rule(style="ink", strokeWidth=1.5).encode(
        x=alt.X("speedup_low:Q", scale=scale), x2="speedup_high:Q", y=y
    )
    line = alt.Chart(data(pl.DataFrame({"one": [1.0]}))).mark_rule(style="ink", strokeWidth=1.5).encode(x="one:Q")
    marks = alt.Chart(data(expert.filter(pl.col("workload_id").is_in(names))))
    experts = marks.mark_point(style="ink-point", shape="diamond", size=75, strokeWidth=1.2, filled=True, opacity=1)
    why = alt.Chart(data(missing)).mark_text(style="soft-text", align="left", dx=6, baseline="middle")
    texts = why.encode(x=alt.datum(1.0), y=y, text="why:N")
    return alt.LayerChart(
        layer=[bars, intervals, line, experts.encode(x=x, y=y, tooltip=tips), texts],
        title=title(
            f"{entrant}: speedup over {baseline}",
            f"blue: faster, amber: slower; thin line: 95% interval; vertical line: {baseline} itself"
            + ("; diamond: expert kernel" if expert.height else ""),
        ),
        width=WIDTH,
        height=alt.Step(ROW),
    )


def _top() -> pl.Expr:
    return pl.max_horizontal("speedup", "speedup_high").max()
