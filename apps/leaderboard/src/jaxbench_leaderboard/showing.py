"""How things are shown: names literally, charts with a table beside them, trouble as a message."""

import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, cast

import altair as alt
import polars as pl
import streamlit as st

from jaxbench_analysis import AnalysisError
from jaxbench_analysis.figures import Mode, themed
from jaxbench_analysis.figures.theme import Figure

Columns = Mapping[str, Any]
"""Column configuration of a table, by column; columns that it does not name are not shown."""

_PADDING = {"left": 2, "top": 2, "right": 14, "bottom": 2}
"""Around a chart, in pixels; the last label of an axis is wider than its tick."""

_ABSENT = "-"


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


def number(label: str, format_: str, help_: str | None = None) -> Any:
    """Returns the configuration of a column of numbers."""
    return st.column_config.NumberColumn(label, format=format_, help=help_)


def text(label: str, help_: str | None = None, *, pinned: bool = False) -> Any:
    """Returns the configuration of a column of text."""
    return st.column_config.TextColumn(label, help=help_, pinned=pinned)


def table(frame: pl.DataFrame, columns: Columns, *, alt_text: str, height: int | Literal["auto"] = "auto") -> None:
    """Shows the named columns of a frame, without those that are empty throughout; a dash where there is no value.

    Cells are never read as Markdown or HTML.
    """
    shown = [name for name in columns if name in frame.columns and frame[name].null_count() < max(1, frame.height)]
    st.dataframe(
        frame.select(shown),
        hide_index=True,
        column_order=shown,
        column_config=dict(columns),
        placeholder=_ABSENT,
        height=height,
        alt=alt_text,
    )


def facts(rows: Sequence[tuple[str, str]], *, alt_text: str) -> None:
    """Shows names and values, two columns; nothing where there are none."""
    if rows:
        frame = pl.DataFrame(rows, schema={"fact": pl.String(), "value": pl.String()}, orient="row")
        table(frame, {"fact": text("fact"), "value": text("value")}, alt_text=alt_text)


def chart(figure: Figure, frame: pl.DataFrame, columns: Columns, *, alt_text: str) -> None:
    """Shows a figure in the theme of the page, as wide as the page, and its numbers in a table below it.

    Its title is left to the page, since a title is cut where a caption wraps; its explanation becomes the caption.
    """
    drawn = figure.copy(deep=False)
    caption = _explanation(drawn)
    drawn.title = alt.Undefined
    finished = cast("alt.Chart", themed(drawn, mode()))
    finished.config.padding = _PADDING
    finished.config.legend["columns"] = 1
    if caption:
        st.caption(caption)
    st.altair_chart(finished, theme=None, width="stretch", alt=alt_text)
    with st.expander("The same as a table"):
        table(frame, columns, alt_text=f"Numbers of: {alt_text}")


def _explanation(figure: Figure) -> str:
    title = cast("Any", figure.title)
    return "" if title is alt.Undefined or title.subtitle is alt.Undefined else " ".join(title.subtitle)
