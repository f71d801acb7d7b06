"""What the commands share: options, how they load and select, and how they talk."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from pydantic import BaseModel
from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from jaxbench_analysis.errors import AnalysisError
from jaxbench_analysis.loading import LoadReport
from jaxbench_analysis.tables import Table
from jaxbench_harness.records import one_line

USAGE = 2
"""Exit code of every command of `jaxbench` for wrong usage."""

_PIPE_WIDTH = 1000
"""Columns of tables that are not shown on a terminal: rows stay on one line, for `grep` and the like."""
_MOST_PROBLEMS = 5

out = Console(width=None if sys.stdout.isatty() else _PIPE_WIDTH)
err = Console(stderr=True)

_PLACE = "Results folder, file of records, `published` for the published times, or `baselines` for those shipped"
ResultsArgument = Annotated[str, typer.Argument(help=f"{_PLACE}.")]
PlacesArgument = Annotated[
    list[str] | None, typer.Argument(help=f"{_PLACE}; several are taken together. By default `results`, else shipped.")
]
KindOption = Annotated[str | None, typer.Option("--kind", help="Only times of this kind: measured or predicted.")]
TargetOption = Annotated[str | None, typer.Option("--target", help="Only this target, such as v6e.")]
ReleaseOption = Annotated[
    str | None, typer.Option("--release", help="Only this release; `none` for records outside one.")
]
SourceOption = Annotated[str | None, typer.Option("--source", help="Only this source: evaluation or published.")]
ClockOption = Annotated[str | None, typer.Option("--clock", help="Only times of this clock: device_profiler or wall.")]
PredictorOption = Annotated[str | None, typer.Option("--predictor", help="Only times of this predictor model.")]
BaselineOption = Annotated[str, typer.Option("--baseline", help="What speedups are over: xla or expert.")]
DirOption = Annotated[Path, typer.Option("--out", help="Folder to write to.", file_okay=False)]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document; `jaxbench schema` shows its schema.")
]


@contextmanager
def usage_errors() -> Generator[None]:
    """Turns a request that has no answer, or a file that cannot be written, into a one-line error and exit code 2."""
    try:
        yield
    except AnalysisError as error:
        _usage_error(str(error))
    except OSError as error:
        _usage_error(f"{error.filename or 'file'}: {error.strerror or error}")


def say(message: str) -> None:
    """Prints one line as it is, never wrapped."""
    out.print(message, markup=False, highlight=False, soft_wrap=True)


def warn(message: str) -> None:
    """Prints one line on standard error."""
    err.print(one_line(message), style="yellow", markup=False, highlight=False, soft_wrap=True)


def print_json(document: BaseModel) -> None:
    """Prints a document as JSON, never wrapped or coloured."""
    typer.echo(document.model_dump_json(indent=2))


def print_table(table: Table, title: str) -> None:
    """Prints a table."""
    shown = RichTable(title=title, title_justify="left", title_style="", box=box.SIMPLE, pad_edge=False)
    for heading, numeric in zip(table.headings, table.numeric, strict=True):
        shown.add_column(heading, justify="right" if numeric else "left")
    for row in table.rows:
        shown.add_row(*map(Text, row))
    out.print(shown)


def report_left_out(report: LoadReport) -> None:
    """Says on standard error which lines and duplicates were left out."""
    for problem in report.problems[:_MOST_PROBLEMS]:
        warn(str(problem))
    if (more := len(report.problems) - _MOST_PROBLEMS) > 0:
        warn(f"{more} more lines are no records")
    if report.duplicates:
        warn(f"{report.duplicates} records left out: an earlier one has the same evaluation id")


def _usage_error(message: str) -> NoReturn:
    err.print(f"error: {one_line(message)}", style="red", markup=False, highlight=False, soft_wrap=True)
    raise typer.Exit(USAGE)
