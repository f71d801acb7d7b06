"""Calibration: predicted times over measured ones."""

import math

import altair as alt
import polars as pl

from jaxbench_analysis.calibration import ALL, calibration
from jaxbench_analysis.figures.theme import PALETTE, color, data, in_order, log_ticks, shape, title

_SIDE = 460
_NS_PER_MS = 1e6


def calibration_scatter(pairs: pl.DataFrame) -> alt.LayerChart:
    """Returns a point per pair with its predicted 80% interval, the diagonal, and the band that holds 90% of pairs.

    Args:
        pairs: Rows of `calibration_pairs`.
    """
    columns = ("predicted_ns", "low_ns", "high_ns", "measured_ns")
    shown = pairs.with_columns(pl.col("family").fill_null("unknown"), *(pl.col(name) / _NS_PER_MS for name in columns))
    summary = calibration(pairs).filter(pl.col("family") == ALL)
    factor = math.exp(summary["p90_abs_log_ratio"].item()) if summary.height else 1.0
    values = [value for name in columns for value in shown[name].drop_nulls().to_list()]
    low, high = min(values, default=0.1) / 1.3, max(values, default=10.0) * 1.3
    scale = alt.Scale(type="log", domain=[low, high], nice=False, clamp=True)
    axis = alt.Axis(values=log_ticks(low, high), format="~r")
    x = alt.X("measured_ns:Q", title="measured time (ms, logarithmic)", scale=scale, axis=axis)
    y = alt.Y("predicted_ns:Q", title="predicted time (ms, logarithmic)", scale=scale, axis=axis)
    edge = pl.DataFrame({"measured_ns": [low, high]}).with_columns(
        predicted_ns=pl.col("measured_ns"),
        under=(pl.col("measured_ns") / factor).clip(lower_bound=low),
        over=(pl.col("measured_ns") * factor).clip(upper_bound=high),
    )
    ends = [low, low * factor, high / factor, high]
    band = pl.DataFrame({"measured_ns": sorted(end for end in ends if low <= end <= high)}).with_columns(
        under=(pl.col("measured_ns") / factor).clip(lower_bound=low),
        over=(pl.col("measured_ns") * factor).clip(upper_bound=high),
    )
    families = in_order(shown["family"].sort())
    base = alt.Chart(data(shown))
    area = alt.Chart(data(band)).mark_area(color=PALETTE[-1], opacity=0.25)
    return alt.LayerChart(
        layer=[
            area.encode(x=x, y=alt.Y("under:Q", scale=scale), y2="over:Q"),
            alt.Chart(data(edge)).mark_line(style="ink", strokeWidth=1.5).encode(x=x, y=y),
            base.mark_rule(opacity=0.6).encode(
                x=x, y=alt.Y("low_ns:Q", scale=scale), y2="high_ns:Q", color=color("family", families)
            ),
            base.mark_point(size=55, strokeWidth=1.6, filled=False, opacity=1).encode(
                x=x,
                y=y,
                color=color("family", families, "family"),
                shape=shape("family", families, "family"),
                tooltip=["workload_id:N", "role:N", "measured_ns:Q", "predicted_ns:Q"],
            ),
        ],
        title=title("Predicted and measured time", *_lines(summary, factor)),
        width=_SIDE,
        height=_SIDE,
    )


def _lines(summary: pl.DataFrame, factor: float) -> list[str]:
    if not summary.height:
        return ["no pair of a predicted and a measured time"]
    row = summary.row(0, named=True)
    rho = "unknown" if row["spearman"] is None else f"{row['spearman']:.3f}"
    half = math.exp(row["median_abs_log_ratio"])
    return [
        f"{row['pairs']} pairs; half are within a factor of {half:.3g}, 90% within {factor:.3g} (the band);",
        f"Spearman's rho {rho}; vertical lines: predicted 80% intervals",
    ]
