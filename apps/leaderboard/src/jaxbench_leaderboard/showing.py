"""How things are shown: names literally, numbers in tables, trouble as a message."""

import re
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager
from typing import Literal

import polars as pl
import streamlit as st

from jaxbench_analysis import AnalysisError
from jaxbench_leaderboard.columns import Columns

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
