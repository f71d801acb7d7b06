"""Charts in the theme of the page, each with its numbers in a table below it; one that was drawn before is kept."""

from dataclasses import dataclass
from functools import partial
from types import FunctionType
from typing import Any, cast

import altair as alt
import polars as pl
import streamlit as st

from jaxbench_analysis.figures import Mode, themed
from jaxbench_analysis.figures.theme import Figure
from jaxbench_leaderboard.columns import Columns
from jaxbench_leaderboard.showing import table

_PADDING = {"left": 6, "top": 6, "right": 14, "bottom": 4}
"""Around a chart, in pixels; the last label of an axis is wider than its tick."""

type Drawing = partial[Figure] | partial[alt.Chart] | partial[alt.LayerChart]
"""What draws a figure: a function of a module, with all that its result depends on."""


@dataclass(frozen=True)
class _Drawing:
    spec: dict[str, Any]
    caption: str


def chart(figure: Drawing, frame: pl.DataFrame, columns: Columns, *, alt_text: str) -> None:
    """Shows a figure in the theme of the page, as wide as the page, and its numbers in a table below it.

    Its title is left to the page, since a title is cut where a caption wraps; its explanation becomes the caption.

    Args:
        figure: Draws it.
        frame: The numbers.
        columns: Columns of `frame` that the table shows.
        alt_text: What the chart shows, for those who do not see it.
    """
    drawn = _drawing(figure, _mode())
    if drawn.caption:
        st.caption(drawn.caption)
    st.vega_lite_chart(drawn.spec, theme=None, width="stretch", alt=alt_text)
    with st.expander("The same as a table"):
        table(frame, columns, alt_text=f"Numbers of: {alt_text}")


def _mode() -> Mode:
    """Returns the theme of the page that this session looks at."""
    return "dark" if st.context.theme.type == "dark" else "light"


def _name(function: FunctionType) -> str:
    # By file: every page is the module `__main__`.
    return f"{function.__code__.co_filename}:{function.__qualname__}"


# Streamlit's own hash of a frame covers its first and last rows only.
@st.cache_data(
    max_entries=256,
    show_spinner=False,
    hash_funcs={pl.DataFrame: pl.DataFrame.serialize, FunctionType: _name},
)
def _drawing(figure: Drawing, mode: Mode) -> _Drawing:
    drawn = figure().copy(deep=False)
    caption = _explanation(drawn)
    drawn.title = alt.Undefined
    finished = cast("alt.Chart", themed(drawn, mode))
    finished.padding = _PADDING
    finished.config.legend["columns"] = 1
    # As wide as the page; as high as its rows need, legend and axes on top of that.
    finished.autosize = alt.AutoSizeParams(type="fit-x", contains="padding")
    return _Drawing(finished.to_dict(), caption)


def _explanation(figure: Figure) -> str:
    title = cast("Any", figure.title)
    return (
        ""
        if title is alt.Undefined or title.subtitle is alt.Undefined
        else "; ".join(line.rstrip(";") for line in title.subtitle)
    )
