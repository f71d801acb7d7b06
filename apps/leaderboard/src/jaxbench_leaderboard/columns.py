"""Columns of the tables on pages: what stands at their head, and in which unit their numbers are shown."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl
import streamlit as st

_NS_PER_MS = 1e6
_PERCENT = 100


@dataclass(frozen=True)
class Shown:
    """A column of a table."""

    label: str
    """Its head, with the unit."""
    help: str | None = None
    """What it says, on demand."""
    format: str | None = None
    """printf format of its numbers; None for text."""
    factor: float = 1.0
    """What its numbers are multiplied by to be in the unit that is shown."""

    def values(self, name: str) -> pl.Expr:
        """Returns the column of a frame in the unit that is shown."""
        column = pl.col(name)
        return column.cast(pl.String) if self.format is None else column * self.factor if self.factor != 1 else column

    def config(self) -> Any:
        """Returns the column as Streamlit wants it."""
        if self.format is None:
            return st.column_config.TextColumn(self.label, help=self.help)
        return st.column_config.NumberColumn(self.label, help=self.help, format=self.format)


type Columns = Mapping[str, Shown]
"""Columns by their name in the frame; what is not named is not shown."""


def text(label: str, help_: str | None = None) -> Shown:
    """Returns a column of text."""
    return Shown(label, help_)


def count(label: str, help_: str | None = None) -> Shown:
    """Returns a column of counts."""
    return Shown(label, help_, "%d")


def factor(label: str, help_: str | None = None, *, digits: int = 3) -> Shown:
    """Returns a column of ratios, which are how many times."""
    return Shown(f"{label} (×)", help_, f"%.{digits}f")


def share(label: str, help_: str | None = None) -> Shown:
    """Returns a column of shares, in per cent."""
    return Shown(f"{label} (%)", help_, "%.1f", factor=_PERCENT)


def milliseconds(label: str, help_: str | None = None) -> Shown:
    """Returns a column of times, from nanoseconds."""
    return Shown(f"{label} (ms)", help_, "%.4g", factor=1 / _NS_PER_MS)


def quantity(label: str, unit: str, help_: str | None = None) -> Shown:
    """Returns a column of numbers in a unit."""
    return Shown(f"{label} ({unit})", help_, "%.4g")
