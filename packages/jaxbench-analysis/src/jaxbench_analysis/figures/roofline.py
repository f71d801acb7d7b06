"""Roofline: what is reached on each workload, under the limits of the target."""

import math
import statistics
from typing import Literal

import altair as alt
import polars as pl

from jaxbench_analysis.figures.theme import WIDTH, color, data, in_order, log_ticks, shape, title

_HEIGHT = 420
_MARGIN = 1.6


def roofline(table: pl.DataFrame) -> alt.LayerChart:
    """Returns a point per entrant and workload: useful TFLOP/s over useful FLOPs per HBM byte.

    The roof is that of the bounds in the records: peak = FLOPs / compute bound, bandwidth = bytes / HBM bound.

    Args:
        table: The table of `Speedups`; rows without a time or a bound are left out.
    """
    points = table.drop_nulls(["time_ns", "bound_ns"]).filter(
        (pl.col("bound_flops") > 0) & (pl.col("bound_hbm_bytes") > 0)
    )
    points = points.select(
        "entrant",
        "workload_id",
        "bound_fraction",
        intensity=pl.col("bound_flops") / pl.col("bound_hbm_bytes"),
        reached=pl.col("bound_flops") / pl.col("time_ns") / 1e3,
        peak=pl.col("bound_flops") / pl.col("bound_compute_ns") / 1e3,
        bandwidth=pl.col("bound_hbm_bytes") / pl.col("bound_hbm_ns"),
    ).sort("workload_id", "entrant")
    names = in_order(points["entrant"])
    peak, bandwidth = _middle(points["peak"]), _middle(points["bandwidth"])
    ridge = peak * 1e3 / bandwidth
    low = min(_least(points, "intensity", ridge), ridge / 4) / _MARGIN
    high = max(_most(points, "intensity", ridge), ridge * 4) * _MARGIN
    roof = pl.DataFrame({"intensity": [low, ridge, high]}).with_columns(
        reached=pl.min_horizontal(pl.lit(peak), pl.col("intensity") * bandwidth / 1e3)
    )
    x = alt.X(
        "intensity:Q",
        title=["arithmetic intensity", "(useful FLOP per HBM byte, logarithmic)"],
        scale=alt.Scale(type="log", domain=[low, high], nice=False),
        axis=alt.Axis(values=log_ticks(low, high), format=",.3~r"),
    )
    bottom = min(_least(points, "reached", 1.0), roof["reached"].to_list()[0]) / _MARGIN
    top = max(_most(points, "reached", 1.0), peak * 1.4) * 1.2
    y = alt.Y(
        "reached:Q",
        title="performance (useful TFLOP/s, logarithmic)",
        scale=alt.Scale(type="log", domain=[bottom, top], nice=False),
        axis=alt.Axis(values=log_ticks(bottom, top), format=",.3~r"),
    )
    line = alt.Chart(data(roof)).mark_line(style="ink", strokeWidth=2).encode(x=x, y=y)
    marks = alt.Chart(data(points)).mark_point(size=55, strokeWidth=1.6, filled=False, opacity=0.9)
    decades = math.log10(high / low), math.log10(top / bottom)
    # The plot may be stretched: the slope follows from the size that it has in the end.
    angle = f"-atan2(height / {decades[1]}, width / {decades[0]}) * 180 / PI"
    slope = math.sqrt(low * ridge)
    texts = [
        _text(high, peak, f"bf16 peak {peak:,.0f} TFLOP/s", align="right"),
        _text(slope, slope * bandwidth / 1e3, f"HBM {bandwidth:,.0f} GB/s", angle=angle),
    ]
    return alt.LayerChart(
        layer=[
            line,
            marks.encode(
                x=x,
                y=y,
                color=color("entrant", names),
                shape=shape("entrant", names),
                tooltip=["entrant:N", "workload_id:N", alt.Tooltip("bound_fraction:Q", format=".1%"), "reached:Q"],
            ),
            *(text.encode(x=x, y=y, text="text:N") for text in texts),
        ],
        title=title("Reached performance against the limits of the target", "a point per workload and entrant"),
        width=WIDTH,
        height=_HEIGHT,
    )


def _text(
    intensity: float, reached: float, text: str, *, angle: str = "0", align: Literal["center", "right"] = "center"
) -> alt.Chart:
    chart = alt.Chart(data(pl.DataFrame({"intensity": [intensity], "reached": [reached], "text": [text]})))
    return chart.mark_text(style="ink-text", dy=-10, angle=alt.expr(angle), align=align)


def _middle(values: pl.Series) -> float:
    return statistics.median(values.to_list()) if len(values) else 1.0


def _least(points: pl.DataFrame, name: str, otherwise: float) -> float:
    return min(points[name].to_list(), default=otherwise)


def _most(points: pl.DataFrame, name: str, otherwise: float) -> float:
    return max(points[name].to_list(), default=otherwise)
