"""How things are shown: names literally, charts with a table beside them, trouble as a message."""

import re
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, cast

import altair as alt
import polars as pl
import streamlit as st

from jaxbench_analysis import AnalysisError
from jaxbench_analysis.figures import Mode, themed
from jaxbench_analysis.figures.theme import Figure
from jaxbench_leaderboard.columns import Columns

_PADDING = {"left": 6, "top": 6, "right": 14, "bottom": 4}
"""Around a chart, in pixels; the last label of an axis is wider than its tick."""

_ABSENT = "-"

_MOST_UNSCROLLED = 60
"""Rows of a table that is shown in full; one with more scrolls."""


def literal(text: str) -> str:
    """Returns text for Markdown that is shown as it is: a code span, in which nothing has a meaning.

    Backslashes would not do: emoji names, arrows and colour directives are replaced after they are gone.
    """
    line = " ".join(text.split()) or " "
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{space}{line}{space}{fence}"


def trouble(title: str, text: str, *, level: Literal["error", "warning", "info"] = "error") -> None:
    """Shows a title of ours, and below it a message that may hold anything, literally."""
    {"error": st.error, "warning": st.warning, "info": st.info}[level](title)
    st.code(text, language=None, wrap_lines=True)


@contextmanager
def answered(what: str) -> Generator[None]:
    """Shows a request that has no honest answer as a message, in the place of what was asked for."""
    try:
        yield
    except AnalysisError as error:
        trouble(f"{what} cannot be shown", str(error), level="warning")


def mode() -> Mode:
    """Returns the theme of the page that this session looks at."""
    return "dark" if st.context.theme.type == "dark" else "light"


def table(frame: pl.DataFrame, columns: Columns, *, alt_text: str) -> None:
    """Shows the named columns of a frame, without those that are empty throughout; a dash where there is no value.

    Cells are never read as Markdown or HTML.
    """
    wanted = {name: column for name, column in columns.items() if name in frame.columns}
    shown = {name: column for name, column in wanted.items() if frame[name].null_count() < frame.height} or wanted
    st.dataframe(
        frame.select(column.values(name).alias(name) for name, column in shown.items()),
        hide_index=True,
        column_config={name: column.config() for name, column in shown.items()},
        placeholder=_ABSENT,
        height="content" if frame.height <= _MOST_UNSCROLLED else "auto",
        alt=alt_text,
    )


def facts(headings: Sequence[str], rows: Sequence[Sequence[str]], *, own: Collection[int] = ()) -> None:
    """Shows a small table of text that wraps where it is narrow; nothing where there are no rows.

    Args:
        headings: Heads of the columns.
        rows: Cells; shown literally.
        own: Columns that hold words of ours, and may hold Markdown.
    """
    if rows:
        cells = [[_cell(one, own=place in own) for place, one in enumerate(row)] for row in rows]
        lines = [headings, ["---"] * len(headings), *cells]
        st.markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))


def _cell(content: str, *, own: bool) -> str:
    # In a table a bar ends the cell even in a code span, unless it is escaped.
    return (content if own or not content else literal(content)).replace("|", "\\|")


def chart(figure: Figure, frame: pl.DataFrame, columns: Columns, *, alt_text: str) -> None:
    """Shows a figure in the theme of the page, as wide as the page, and its numbers in a table below it.

    Its title is left to the page, since a title is cut where a caption wraps; its explanation becomes the caption.
    """
    drawn = figure.copy(deep=False)
    caption = _explanation(drawn)
    drawn.title = alt.Undefined
    finished = cast("alt.Chart", themed(drawn, mode()))
    finished.padding = _PADDING
    finished.config.legend["columns"] = 1
    # As wide as the page; as high as its rows need, legend and axes on top of that.
    finished.autosize = alt.AutoSizeParams(type="fit-x", contains="padding")
    if caption:
        st.caption(caption)
    st.altair_chart(finished, theme=None, width="stretch", alt=alt_text)
    with st.expander("The same as a table"):
        table(frame, columns, alt_text=f"Numbers of: {alt_text}")


def _explanation(figure: Figure) -> str:
    title = cast("Any", figure.title)
    return (
        ""
        if title is alt.Undefined or title.subtitle is alt.Undefined
        else "; ".join(line.rstrip(";") for line in title.subtitle)
    )
