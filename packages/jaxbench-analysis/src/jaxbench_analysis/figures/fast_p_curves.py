"""fast_p curves: the share of workloads solved faster than p times the baseline, over p."""

import altair as alt
import polars as pl

from jaxbench_analysis.figures.theme import WIDTH, color, dash, data, in_order, log_ticks, title


def fast_p_curves(shares: pl.DataFrame, *, baseline: str = "xla") -> alt.LayerChart:
    """Returns a step line per entrant.

    Args:
        shares: Rows of `fast_p`, at positive thresholds in rising order.
        baseline: What the speedups are over.
    """
    names = in_order(shares["entrant"])
    low, high = shares["p"].min(), shares["p"].max()
    domain = [float(str(low)), float(str(high))] if low is not None else [0.5, 2.0]
    x = alt.X(
        "p:Q",
        title=f"p (times faster than {baseline}, logarithmic)",
        scale=alt.Scale(type="log", domain=domain, nice=False),
        axis=alt.Axis(values=log_ticks(*domain), format="~r"),
    )
    y = alt.Y(
        "fast_p:Q",
        title="fast_p (share of workloads, %)",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format=".0%", tickCount=6),
    )
    # The share holds at p and above until the next threshold.
    lines = alt.Chart(data(shares)).mark_line(interpolate="step-after", strokeWidth=2.2)
    line = alt.Chart(data(pl.DataFrame({"p": [1.0]}))).mark_rule(style="soft", strokeDash=[4, 4]).encode(x=x)
    return alt.LayerChart(
        layer=[
            line,
            lines.encode(
                x=x,
                y=y,
                color=color("entrant", names, lines=True),
                strokeDash=dash("entrant", names),
                tooltip=["entrant:N", "p:Q", alt.Tooltip("fast_p:Q", format=".1%")],
            ),
        ],
        title=title(
            f"Workloads solved more than p times as fast as {baseline}",
            "unsolved workloads count in the denominator; dashed vertical line: as fast as the baseline",
        ),
        width=WIDTH,
        height=340,
    )
