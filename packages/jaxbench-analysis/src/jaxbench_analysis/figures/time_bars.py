"""Times of all entrants on one workload, against the XLA line, the expert's mark and the physical limit."""

import altair as alt
import polars as pl

from jaxbench_analysis.figures.theme import ENTRANT_ROW, FASTER, NO_TIME, SLOWER, WIDTH, data, entrant_rows, title
from jaxbench_analysis.speedups import EXPERT

_XLA = "xla"
_NS_PER_MS = 1e6


def time_bars(table: pl.DataFrame, workload: str) -> alt.LayerChart:
    """Returns a bar per entrant, fastest first, with its 95% interval.

    Args:
        table: The table of `Speedups`.
        workload: Whose times.
    """
    times = ("time_ns", "low_ns", "high_ns", "bound_ns")
    shown = (
        table.filter((pl.col("workload_id") == workload) & (pl.col("state") != "not_tried"))
        .sort("time_ns", "entrant", nulls_last=True)
        .select("entrant", "state", "speedup", *((pl.col(name) / _NS_PER_MS).alias(name) for name in times))
        .rename({name: name.replace("_ns", "_ms") for name in times})
    )
    xla_ms = _of(shown, _XLA)
    y = entrant_rows("entrant", shown["entrant"].to_list())
    x = alt.X(
        "time_ms:Q",
        title="time (ms; shorter is better)",
        scale=alt.Scale(zero=True),
        axis=alt.Axis(format="~r", tickCount=6),
    )
    timed = alt.Chart(data(shown.drop_nulls("time_ms").with_columns(slower=pl.col("time_ms") > (xla_ms or 0.0))))
    tips = [alt.Tooltip("entrant:N"), alt.Tooltip("time_ms:Q", format=".4r"), alt.Tooltip("speedup:Q", format=".3r")]
    bars = timed.mark_bar(height=ENTRANT_ROW * 0.5).encode(
        x=x, y=y, tooltip=tips, color=alt.condition("datum.slower", alt.value(SLOWER), alt.value(FASTER))
    )
    intervals = timed.mark_rule(style="ink", strokeWidth=1.5).encode(x="low_ms:Q", x2="high_ms:Q", y=y)
    absent = shown.filter(pl.col("time_ms").is_null()).with_columns(why=pl.col("state").replace_strict(NO_TIME))
    texts = alt.Chart(data(absent)).mark_text(style="soft-text", align="left", dx=6, baseline="middle")
    layers = [bars, intervals, texts.encode(x=alt.datum(0.0), y=y, text="why:N")]
    notes = ["blue: faster than xla, amber: slower; thin line: 95% interval"]
    layers += [_line("xla_ms", xla_ms, [1, 0])] if xla_ms is not None else []
    limit = shown["bound_ms"].drop_nulls().head(1).to_list()
    if limit:
        layers.append(_line("limit_ms", limit[0], [3, 3]))
    expert = shown.filter(pl.col("entrant") == EXPERT).drop_nulls("time_ms")
    mark = alt.Chart(data(expert)).mark_point(style="ink-point", shape="diamond", size=90, filled=True, opacity=1)
    layers.append(mark.encode(x="time_ms:Q", y=y, tooltip=tips))
    lines = ["vertical line: xla"] * (xla_ms is not None) + ["diamond: expert kernel"] * expert.height
    notes.append("; ".join([*lines, *(["dotted line: physical limit"] if limit else [])]))
    return alt.LayerChart(
        layer=layers,
        title=title(f"Times on {workload}", *filter(None, notes)),
        width=WIDTH,
        height=alt.Step(ENTRANT_ROW),
    )


def _of(shown: pl.DataFrame, entrant: str) -> float | None:
    found = shown.filter(pl.col("entrant") == entrant)["time_ms"].drop_nulls().to_list()
    return found[0] if found else None


def _line(name: str, value: float, dashes: list[float]) -> alt.Chart:
    chart = alt.Chart(data(pl.DataFrame({name: [value]})))
    return chart.mark_rule(style="ink", strokeWidth=1.5, strokeDash=dashes).encode(x=f"{name}:Q")
