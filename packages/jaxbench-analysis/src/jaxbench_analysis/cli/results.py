"""`jaxbench results`: record files in other formats, and what their columns mean."""

import os
from pathlib import Path
from typing import Annotated

import typer

from jaxbench_analysis.cli.talking import print_table, report_left_out, say, usage_errors
from jaxbench_analysis.columns import COLUMNS
from jaxbench_analysis.compacting import compact, expand
from jaxbench_analysis.loading import LoadReport
from jaxbench_analysis.tables import Table

_WORTH_PROCESSES_BYTES = 200_000_000
"""Below, one process is done before another one has started."""

app = typer.Typer(help="Records as Parquet and back, and the columns of their frame.", no_args_is_help=True)


@app.command("compact")
def compact_results(
    results: Annotated[Path, typer.Argument(help="Folder with *.jsonl files, or one such file.")],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder to write; must not exist.")],
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes; by default as many as pay.")] = None,
) -> None:
    """Write records as Parquet, a folder per target; lines that are no records are kept apart."""
    with usage_errors():
        done = compact(results, folder, jobs=_jobs(results) if jobs is None else jobs)
    report_left_out(LoadReport(done.files, done.records, 0, done.problems))
    say(f"{done.records} records of {done.files} files in {len(done.parts)} parts written to {folder}")


def _jobs(results: Path) -> int:
    size = sum(path.stat().st_size for path in results.rglob("*.jsonl")) if results.is_dir() else 0
    return (os.cpu_count() or 1) if size > _WORTH_PROCESSES_BYTES else 1


@app.command("expand")
def expand_results(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder that `compact` wrote.")],
    results: Annotated[Path, typer.Argument(help="Folder to write *.jsonl files to.")],
) -> None:
    """Write back the lines that `compact` read, byte for byte."""
    with usage_errors():
        files = expand(folder, results)
    say(f"{len(files)} files written to {results}")


@app.command("columns")
def list_columns() -> None:
    """List the columns of the frame of records: name, type, unit, where it stands in a record, meaning."""
    rows = tuple(
        (column.name, str(column.dtype).split("(")[0], column.unit or "", column.path or "derived", column.meaning)
        for column in COLUMNS
    )
    headings = ("column", "type", "unit", "in the record", "meaning")
    print_table(Table(headings, rows, (False,) * len(headings)), f"{len(COLUMNS)} columns")
