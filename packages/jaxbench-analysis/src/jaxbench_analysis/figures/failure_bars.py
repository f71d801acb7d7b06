"""Where samples end, as one bar per entrant."""

import altair as alt
import polars as pl

from jaxbench_analysis.columns import STAGE
from jaxbench_analysis.figures.theme import ENTRANT_ROW, FASTER, WIDTH, data, entrant_rows, in_order, title

_CORRECT, _FLAGGED = "correct", "flagged"
_STAGE_COLORS = ("#FDE0C5", "#FDB863", "#E08214", "#B35806", "#7F3B08", "#4A2506")
"""ColorBrewer's oranges, light to dark: the later a stage, the darker."""


def failure_bars(steps: pl.DataFrame) -> alt.Chart:
    """Returns a bar per entrant: its samples that are correct, that a flag holds back, and that failed by stage.

    Args:
        steps: Rows of `waterfall`.
    """
    ends = (_CORRECT, _FLAGGED, *STAGE.categories)
    names = pl.col("step").cast(pl.String).replace("unflagged", _FLAGGED)
    lost = steps.filter(pl.col("step") != "judged").select("entrant", "samples", end=names, count="lost")
    correct = steps.filter(pl.col("step") == "unflagged").select(
        "entrant", "samples", end=pl.lit(_CORRECT), count="left"
    )
    shown = pl.concat([correct, lost]).filter(pl.col("count") > 0)
    shown = shown.with_columns(order=pl.col("end").replace_strict({end: place for place, end in enumerate(ends)}))
    there = [end for end in ends if end in shown["end"]]
    colors = dict(zip(ends, (FASTER, "#8C8C8C", *_STAGE_COLORS), strict=True))
    scale = alt.Scale(domain=there, range=[colors[end] for end in there])
    return (
        alt.Chart(data(shown))
        .mark_bar(height=ENTRANT_ROW * 0.6)
        .encode(
            x=alt.X("count:Q", title="samples", axis=alt.Axis(tickMinStep=1, format="~s")),
            y=entrant_rows("entrant", in_order(steps["entrant"])),
            color=alt.Color("end:N", title="ended at", scale=scale),
            order="order:Q",
            tooltip=["entrant:N", "end:N", "count:Q", "samples:Q"],
        )
        .properties(
            title=title("Where samples end", "blue: correct; grey: held for review; orange: failed at a stage"),
            width=WIDTH,
            height=alt.Step(ENTRANT_ROW),
        )
    )
