"""Frames as tables of text, for terminals, Markdown and HTML alike."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from jaxbench_harness.records import one_line

ABSENT = "-"

type Format = Callable[[float], str]


@dataclass(frozen=True)
class Table:
    """A table of text."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    """Which columns are numbers, to be aligned to the right."""

    def markdown(self) -> str:
        """Returns the table in Markdown; what Markdown or HTML would obey is escaped."""
        lines = [
            _markdown_row(map(escaped, self.headings)),
            _markdown_row("---:" if number else "---" for number in self.numeric),
            *(_markdown_row(map(escaped, row)) for row in self.rows),
        ]
        return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Show:
    """How a column is shown."""

    heading: str
    format: Format | None = None
    """For numbers; None shows text."""


def ratio(value: float) -> str:
    """Returns a speedup or another factor, in three significant digits."""
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def fine_ratio(value: float) -> str:
    """Returns a factor in five significant digits, for scores that differ little."""
    return f"{value:#.5g}"


def percent(value: float) -> str:
    """Returns a share as per cent."""
    return f"{100 * value:.1f}%"


def whole(value: float) -> str:
    """Returns a count."""
    return f"{value:,.0f}"


def milliseconds(value: float) -> str:
    """Returns nanoseconds as milliseconds, in four significant digits."""
    return f"{value / 1e6:.4g}"


def probability(value: float) -> str:
    """Returns a p-value."""
    return "<0.0001" if value < 1e-4 else f"{value:.2g}"


RANKING = {
    "place": Show("rank"),
    "entrant": Show("entrant"),
    "score": Show("score", fine_ratio),
    "interval": Show("95% interval"),
    "solved": Show("solved", whole),
    "compared": Show("compared", whole),
    "workloads": Show("of workloads", whole),
    "geomean_solved": Show("geomean where compared", ratio),
}

SUMMARY = {
    "entrant": Show("entrant"),
    "workloads": Show("workloads", whole),
    "solved": Show("solved", whole),
    "flagged": Show("flagged", whole),
    "failed": Show("failed", whole),
    "not_judged": Show("not judged", whole),
    "not_tried": Show("not tried", whole),
    "compared": Show("compared", whole),
    "geomean_solved": Show("geomean where compared", ratio),
    "solved_suite": Show("95%, over workloads"),
    "geomean_all_missing_as_1": Show("geomean of all, missing as 1", ratio),
    "all_suite": Show("95%, over workloads "),
    "median_bound_fraction": Show("median bound fraction", percent),
    "median_gap_recovered": Show("median gap recovered", percent),
}

SPEEDUP = {
    "workload_id": Show("workload"),
    "entrant": Show("entrant"),
    "state": Show("state"),
    "time_ns": Show("time, ms", milliseconds),
    "baseline_ns": Show("baseline, ms", milliseconds),
    "speedup": Show("speedup", ratio),
    "speedup_interval": Show("95% interval"),
    "bound_fraction": Show("bound fraction", percent),
    "gap_recovered": Show("gap recovered", percent),
}

CORRECTNESS = {
    "entrant": Show("entrant"),
    "samples": Show("samples", whole),
    "correct": Show("correct", whole),
    "share": Show("share", percent),
    "low": Show("95% from", percent),
    "high": Show("to", percent),
}

SOLVED_AT = {
    "entrant": Show("entrant"),
    "n": Show("n", whole),
    "solved_at": Show("solved@n", percent),
    "workloads": Show("workloads", whole),
    "short": Show("with fewer samples", whole),
}

FAILURES = {
    "entrant": Show("entrant"),
    "stage": Show("stage"),
    "code": Show("code"),
    "owner": Show("owner"),
    "count": Show("count", whole),
    "share": Show("of all ends", percent),
}

CALIBRATION = {
    "family": Show("family"),
    "pairs": Show("pairs", whole),
    "median_abs_log_ratio": Show("median |log ratio|", ratio),
    "p90_abs_log_ratio": Show("90th percentile", ratio),
    "spearman": Show("Spearman's rho", ratio),
    "within": Show("inside the 80% interval", percent),
}

COMPARISON = {
    "workload_id": Show("workload"),
    "outcome": Show("B is"),
    "a_ns": Show("A, ms", milliseconds),
    "b_ns": Show("B, ms", milliseconds),
    "speedup": Show("A / B", ratio),
    "test": Show("test"),
    "p_adjusted": Show("p, adjusted", probability),
}


def table_of(frame: pl.DataFrame, columns: Mapping[str, Show]) -> Table:
    """Returns the columns of a frame as text; null is a dash. Columns that are not in the frame are left out."""
    shown = {name: show for name, show in columns.items() if name in frame.columns}
    cells = [[_cell(value, show) for value in frame[name].to_list()] for name, show in shown.items()]
    return Table(
        headings=tuple(show.heading.strip() for show in shown.values()),
        rows=tuple(zip(*cells, strict=True)) if cells else (),
        numeric=tuple(show.format is not None for show in shown.values()),
    )


def ranking_table(ranked: pl.DataFrame) -> Table:
    """Returns a ranking; a rank that several share has an equals sign."""
    place = pl.when("tied").then(pl.format("{}=", "rank")).otherwise(pl.col("rank").cast(pl.String))
    shown = ranked.with_columns(place=place, interval=interval("low", "high", fine_ratio))
    return table_of(shown, RANKING)


def interval(low: str, high: str, format_: Format = ratio) -> pl.Expr:
    """Returns the text of an interval given by two columns."""

    def text(ends: Mapping[str, float | None]) -> str | None:
        first, last = ends[low], ends[high]
        return None if first is None or last is None else f"{format_(first)} - {format_(last)}"

    return pl.struct(low, high).map_elements(text, return_dtype=pl.String)


def escaped(text: str) -> str:
    """Returns text that Markdown shows as it is."""
    plain = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join("\\" + character if character in r"\`*_[]|" else character for character in plain)


def _cell(value: object, show: Show) -> str:
    if value is None:
        return ABSENT
    if show.format is not None and isinstance(value, int | float):
        return show.format(value)
    return one_line(str(value))


def _markdown_row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
