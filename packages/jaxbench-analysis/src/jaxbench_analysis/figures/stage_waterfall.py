"""Waterfall: how many samples each stage lets past."""

import altair as alt
import polars as pl

from jaxbench_analysis.failures import STEPS
from jaxbench_analysis.figures.theme import FASTER, LOST, data, in_order, title

_STEP_WIDTH = 64
_HEIGHT = 150
_COLUMNS = 2


def stage_waterfall(steps: pl.DataFrame) -> alt.FacetChart:
    """Returns a panel per entrant: the samples left after each stage, and those lost there.

    Args:
        steps: Rows of `waterfall`.
    """
    shown = steps.with_columns(
        pl.col("step").cast(pl.String),
        before=pl.col("left") + pl.col("lost"),
        label=pl.when(pl.col("step") == STEPS[0])
        .then(pl.col("left").cast(pl.String))
        .when(pl.col("lost") > 0)
        .then(pl.format("-{}", "lost"))
        .otherwise(pl.lit("")),
    )
    x = alt.X("step:N", title=None, sort=list(STEPS), axis=alt.Axis(labelAngle=0, labelFontSize=11, ticks=False))
    y = alt.Y("left:Q", title="samples", axis=alt.Axis(tickMinStep=1, tickCount=4, format="~s"))
    base = alt.Chart()
    layer = alt.LayerChart(
        layer=[
            base.mark_bar(width=_STEP_WIDTH * 0.62, color=FASTER).encode(x=x, y=y, y2=alt.datum(0)),
            base.mark_bar(width=_STEP_WIDTH * 0.62, color=LOST).encode(x=x, y=alt.Y("left:Q"), y2="before:Q"),
            base.mark_text(style="ink-text", dy=-8, fontSize=11).encode(x=x, y=alt.Y("before:Q"), text="label:N"),
        ],
        width=alt.Step(_STEP_WIDTH),
        height=_HEIGHT,
    )
    names = in_order(steps["entrant"])
    return alt.FacetChart(
        data=data(shown),
        spec=layer,
        facet=alt.Facet("entrant:N", title=None, sort=names),
        columns=_COLUMNS,
        title=title(
            "Where samples end",
            "blue: got past the stage; orange: ended there; the last step is what no flag holds for review",
        ),
    ).resolve_scale(y="independent")
