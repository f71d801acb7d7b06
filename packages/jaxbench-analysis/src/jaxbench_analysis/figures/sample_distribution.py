"""Distribution of raw samples: every timed call, relative to the median of its workload."""

import altair as alt
import polars as pl

from jaxbench_analysis.figures.theme import PALETTE, ROW, WIDTH, data, in_order, rows, title


def sample_distribution(deviations: pl.DataFrame, entrant: str) -> alt.LayerChart:
    """Returns a tick per timed call, a row per workload.

    Args:
        deviations: Rows of `sample_deviations`.
        entrant: Whose samples.
    """
    shown = deviations.filter(pl.col("entrant") == entrant)
    names = in_order(shown["workload_id"])
    y = rows("workload_id", names)
    x = alt.X(
        "deviation_percent:Q",
        title="time of each call above or below the median of its workload (%)",
        axis=alt.Axis(orient="top", format="+~r", tickCount=8),
    )
    counts = shown.group_by("workload_id", maintain_order=True).agg(
        text=pl.format("{} calls, {} ms", pl.len(), (pl.col("sample_ns").median() / 1e6).round_sig_figs(3))
    )
    calls = alt.Chart(data(shown.select("workload_id", "deviation_percent")))
    texts = alt.Chart(data(counts)).mark_text(style="soft-text", align="left", baseline="middle", dx=8)
    zero = alt.Chart(data(pl.DataFrame({"zero": [0.0]}))).mark_rule(style="soft").encode(x="zero:Q")
    return alt.LayerChart(
        layer=[
            zero,
            calls.mark_tick(color=PALETTE[2], thickness=1.4, height=ROW * 0.7, opacity=0.8).encode(x=x, y=y),
            texts.encode(x=alt.value(WIDTH), y=y, text="text:N"),
        ],
        title=title(f"{entrant}: all timed calls", "a tick per call; right: number of calls and their median"),
        width=WIDTH,
        height=alt.Step(ROW),
    )
