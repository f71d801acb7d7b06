"""Raw samples of one workload: every timed call of every entrant."""

import altair as alt
import polars as pl

from jaxbench_analysis.figures.theme import ENTRANT_ROW, PALETTE, WIDTH, data, entrant_rows, in_order, title

_NS_PER_MS = 1e6

MOST_CALLS = 300
"""Ticks of an entrant: more cannot be told apart, and are slow to draw."""


def call_times(deviations: pl.DataFrame, workload: str) -> alt.LayerChart:
    """Returns a tick per timed call, a row per entrant, fastest first.

    Of more than `MOST_CALLS` calls every n-th is drawn, in the order of the calls. Medians are of all.

    Args:
        deviations: Rows of `sample_deviations`.
        workload: Whose samples.
    """
    middle = pl.col("sample_ms").median().over("entrant").alias("median_ms")
    shown = (
        deviations.filter(pl.col("workload_id") == workload)
        .select("entrant", sample_ms=pl.col("sample_ns") / _NS_PER_MS)
        .with_columns(middle)
        .sort("median_ms", "entrant", maintain_order=True)
    )
    y = entrant_rows("entrant", in_order(shown["entrant"]))
    x = alt.X(
        "sample_ms:Q",
        title="time of each call (ms)",
        scale=alt.Scale(zero=False),
        axis=alt.Axis(format="~r", tickCount=6),
    )
    every = (pl.len() / MOST_CALLS).ceil().cast(pl.Int64)
    drawn = shown.filter((pl.int_range(pl.len()) % every == 0).over("entrant"))
    thinned = "" if drawn.height == shown.height else f"; of many calls at most {MOST_CALLS} are drawn"
    ticks = alt.Chart(data(drawn)).mark_tick(color=PALETTE[2], thickness=1.4, height=ENTRANT_ROW * 0.5, opacity=0.8)
    medians = alt.Chart(data(shown.select("entrant", "median_ms").unique(maintain_order=True)))
    return alt.LayerChart(
        layer=[
            ticks.encode(x=x, y=y),
            medians.mark_point(
                style="ink-point", shape="triangle-down", size=70, filled=True, opacity=1, yOffset=-11
            ).encode(x="median_ms:Q", y=y, tooltip=["entrant:N", alt.Tooltip("median_ms:Q", format=".4r")]),
        ],
        title=title(
            f"All timed calls on {workload}", f"a tick per call of the fastest candidate; triangle: median{thinned}"
        ),
        width=WIDTH,
        height=alt.Step(ENTRANT_ROW),
    )
