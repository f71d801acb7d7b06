"""Wins, ties and losses of one entrant against others."""

import altair as alt
import polars as pl

from jaxbench_analysis.figures.theme import ENTRANT_ROW, FASTER, SLOWER, WIDTH, data, entrant_rows, in_order, title

_COLORS = {"wins": FASTER, "ties": "#8C8C8C", "losses": SLOWER}


def outcome_bars(counts: pl.DataFrame, own: str) -> alt.Chart:
    """Returns a bar per other entrant: on how many workloads `own` is better, no different, or worse.

    Args:
        counts: Rows of `against`.
        own: Whose wins.
    """
    shown = counts.unpivot(list(_COLORS), index="entrant", variable_name="outcome", value_name="workloads")
    order = {name: place for place, name in enumerate(_COLORS)}
    shown = shown.with_columns(order=pl.col("outcome").replace_strict(order, return_dtype=pl.Int64))
    scale = alt.Scale(domain=list(_COLORS), range=list(_COLORS.values()))
    return (
        alt.Chart(data(shown.filter(pl.col("workloads") > 0)))
        .mark_bar(height=ENTRANT_ROW * 0.6)
        .encode(
            x=alt.X("workloads:Q", title="workloads", axis=alt.Axis(tickMinStep=1, format="d")),
            y=entrant_rows("entrant", in_order(counts["entrant"])),
            color=alt.Color("outcome:N", title=None, scale=scale),
            order="order:Q",
            tooltip=["entrant:N", "outcome:N", "workloads:Q"],
        )
        .properties(
            title=title(f"{own} against others", "workloads where both have a time that can be tested"),
            width=WIDTH,
            height=alt.Step(ENTRANT_ROW),
        )
    )
