"""The look of every figure: one for light and one for dark pages, told apart by people with any colour blindness."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import altair as alt
import polars as pl

Mode = Literal["light", "dark"]
Figure = alt.Chart | alt.LayerChart | alt.VConcatChart | alt.HConcatChart | alt.FacetChart

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C8C8C")
"""Okabe and Ito's colours (Color Universal Design, 2008) but black and yellow, which vanish on one of the grounds."""

SHAPES = ("circle", "square", "diamond", "cross", "triangle-up", "triangle-down", "triangle-right")
"""The same again for who does not see the colours."""

DASHES = ((1, 0), (7, 3), (2, 2), (9, 3, 2, 3), (4, 2), (1, 3), (12, 4))

FASTER, SLOWER, LOST = PALETTE[0], PALETTE[4], PALETTE[1]

DIVERGING = ("#B35806", "#E08214", "#FDB863", "#D9D9D9", "#92C5DE", "#4393C3", "#2166AC")
"""Orange over grey to blue (ColorBrewer PuOr and RdBu ends): slower, equal, faster."""

ROW = 17
"""Height of a row that holds one line of text, in pixels."""

WIDTH = 640
"""Width of the plot, in pixels."""

ENTRANT_ROW = 30
"""Height of a row that holds two lines, in pixels."""

NO_TIME = {
    "failed": "no candidate passed",
    "flagged": "held for review",
    "not_judged": "not judged",
    "not_tried": "not tried",
    "solved": "no time to compare",
}
"""What stands in the place of a time, by the state of an entrant on a workload."""

_NARROW = "windowSize()[0] < 640"
"""Vega expression: whether a browser's window is too narrow for long labels beside a plot; false in files."""

_FONT = "Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif"
_LABEL_LIMIT = 480
_SYMBOL_SIZE = 160
_LINE_SYMBOL_SIZE = 700
"""Area of a legend's symbol, in square pixels: a line's is long enough to show its dashes."""


@dataclass(frozen=True)
class _Ground:
    background: str
    ink: str
    soft: str
    grid: str


_GROUNDS: dict[Mode, _Ground] = {
    "light": _Ground("#ffffff", "#1f2937", "#4b5563", "#e5e7eb"),
    "dark": _Ground("#111827", "#f3f4f6", "#c3c9d2", "#374151"),
}


def themed[F: Figure](chart: F, mode: Mode = "light") -> F:
    """Returns the chart in the theme of a light or dark page; its ground is opaque, so that it is readable on both."""
    return chart.configure(**theme(mode))


def theme(mode: Mode) -> dict[str, Any]:
    """Returns the Vega-Lite config of a mode."""
    ground = _GROUNDS[mode]
    text = {"labelColor": ground.soft, "titleColor": ground.ink}
    return {
        "background": ground.background,
        "padding": 16,
        "font": _FONT,
        "view": {"stroke": None},
        "title": {
            "anchor": "start",
            "frame": "bounds",
            "color": ground.ink,
            "fontSize": 16,
            "subtitleColor": ground.soft,
            "subtitleFontSize": 12,
            "subtitlePadding": 6,
            "offset": 14,
        },
        "axis": {
            **text,
            "labelFontSize": 12,
            "titleFontSize": 13,
            "titleFontWeight": "normal",
            "titlePadding": 10,
            "labelLimit": _LABEL_LIMIT,
            "gridColor": ground.grid,
            "domainColor": ground.soft,
            "tickColor": ground.soft,
        },
        "legend": {
            **text,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "labelLimit": _LABEL_LIMIT,
            "orient": "bottom",
            "columnPadding": 18,
            "columns": 2,
        },
        "header": {**text, "labelFontSize": 12, "labelLimit": _LABEL_LIMIT, "labelAnchor": "start"},
        "style": {
            "ink": {"color": ground.ink},
            "ink-text": {"color": ground.ink, "fontSize": 12},
            "ink-point": {"color": ground.ink, "stroke": ground.background},
            "soft": {"color": ground.soft},
            "soft-text": {"color": ground.soft, "fontSize": 11},
        },
    }


def data(frame: pl.DataFrame) -> dict[str, Any]:
    """Returns the rows of a frame as the data of a chart; `alt.Data` would validate cell by cell, 0.2 ms a row."""
    return {"values": frame.to_dicts()}


def title(text: str, *more: str) -> alt.TitleParams:
    """Returns a title, with one line of explanation per further argument."""
    return alt.TitleParams(text, subtitle=list(more)) if more else alt.TitleParams(text)


def in_order(names: Iterable[str]) -> list[str]:
    """Returns names once each, in order."""
    return list(dict.fromkeys(names))


def color(field: str, names: Sequence[str], name: str | None = None, *, lines: bool = False) -> alt.Color:
    """Returns a colour per name; an eighth name has the first one's again, and another shape or dash."""
    colors = [PALETTE[index % len(PALETTE)] for index, _ in enumerate(names)]
    size = _LINE_SYMBOL_SIZE if lines else _SYMBOL_SIZE
    legend = alt.Legend(symbolSize=size, symbolStrokeWidth=2, symbolOpacity=1)
    return alt.Color(f"{field}:N", title=name, scale=alt.Scale(domain=list(names), range=colors), legend=legend)


def shape(field: str, names: Sequence[str], name: str | None = None) -> alt.Shape:
    """Returns a shape per name, to go with its colour."""
    shapes = [SHAPES[(index + index // len(PALETTE)) % len(SHAPES)] for index, _ in enumerate(names)]
    return alt.Shape(f"{field}:N", title=name, scale=alt.Scale(domain=list(names), range=shapes))


def dash(field: str, names: Sequence[str], name: str | None = None) -> alt.StrokeDash:
    """Returns a dash per name, to go with its colour."""
    dashes = [list(DASHES[(index + index // len(PALETTE)) % len(DASHES)]) for index, _ in enumerate(names)]
    return alt.StrokeDash(f"{field}:N", title=name, scale=alt.Scale(domain=list(names), range=dashes))


def rows(field: str, names: Sequence[str]) -> alt.Y:
    """Returns an axis of workloads, one line each, none left out; on a phone by the number that begins their id."""
    return _rows(field, names, f"{_NARROW} ? split(datum.label, '_')[0] : datum.label")


TWO_LINES = "split(replace(datum.label, ' (', '\\n('), '\\n')"
"""Vega expression for the label of an entrant: what stands in parentheses is on a second line."""


def entrant_rows(field: str, names: Sequence[str]) -> alt.Y:
    """Returns an axis of entrants, in order; on a phone what stands in parentheses is on a second line."""
    raised = alt.expr(f"{_NARROW} ? -6 : 0")
    return _rows(field, names, f"{_NARROW} ? {TWO_LINES} : datum.label", raised)


def _rows(field: str, names: Sequence[str], label: str, offset: alt.ExprRef | float = 0) -> alt.Y:
    axis = alt.Axis(
        labelOverlap=False, labelFontSize=11, ticks=False, domain=False, labelExpr=label, labelOffset=offset
    )
    return alt.Y(f"{field}:N", title=None, sort=list(names), axis=axis, scale=alt.Scale(domain=list(names)))


def log_ticks(low: float, high: float) -> list[float]:
    """Returns readable ticks of a logarithmic axis: some six of 1, 2, 5 or 1, 3 or 1 times powers of ten.

    A short axis of ratios around 1 has finer ones.
    """
    span = high / low
    if span < 4:
        digits = (1.0, 1.1, 1.2, 1.3, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0)
    elif span < 30:
        digits = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)
    elif span < 1000:
        digits = (1.0, 2.0, 5.0)
    else:
        digits = (1.0, 3.0) if span < 1e5 else (1.0,)
    values = (float(f"{digit:g}e{power}") for power in range(-9, 13) for digit in digits)
    return [value for value in values if low <= value <= high]
