"""What commands share in talking to a person or a program: consoles, JSON, exit codes, errors."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from pydantic import BaseModel, ValidationError
from rich.console import Console
from rich.table import Table

from jaxbench_harness.candidate import CandidateError
from jaxbench_harness.records import Failed, Owner, Record, Verdict
from jaxbench_harness.registry import RegistryError, UnknownBaselineError, UnknownReleaseError, UnknownWorkloadError
from jaxbench_harness.releases import ReleaseError
from jaxbench_harness.store import StoreError, append_record
from jaxbench_harness.targets import UnknownTargetError

_WRONG_USAGE = (
    CandidateError,
    RegistryError,
    ReleaseError,
    StoreError,
    UnknownBaselineError,
    UnknownReleaseError,
    UnknownTargetError,
    UnknownWorkloadError,
)

_PIPE_WIDTH = 120
"""Columns of tables that are not shown on a terminal."""
_UNFOLDED_WIDTH = 1000

out = Console(width=None if sys.stdout.isatty() else _PIPE_WIDTH)
err = Console(stderr=True)


class ExitCode(IntEnum):
    """What the exit status of every command means."""

    PASSED = 0
    CANDIDATE_FAILED = 1
    USAGE = 2
    INFRASTRUCTURE = 3


TargetOption = Annotated[str, typer.Option("--target", help="Target: v5e, v5p, v6e or v7x.")]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document; `jaxbench schema` shows its schema.")
]
WorkloadOption = Annotated[str, typer.Option("--workload", "-w", help="Workload id, such as 8p_GEMM.")]


def print_json(model: BaseModel) -> None:
    """Prints a model as one JSON document on standard output, never wrapped or coloured."""
    typer.echo(model.model_dump_json(indent=2))


def print_unfolded(table: Table) -> None:
    """Prints a table; where output is no terminal, each row stays on one line, for `grep` and the like."""
    console = out if out.is_terminal else Console(width=_UNFOLDED_WIDTH)
    console.print(table)


def say(message: str) -> None:
    """Prints one line on standard output as it is, never wrapped."""
    out.print(message, markup=False, highlight=False, soft_wrap=True)


def write_record(path: Path, record: Record) -> None:
    """Appends a record; where that fails, says so in one line and ends the command as an infrastructure failure."""
    try:
        append_record(path, record)
    except OSError as error:
        reason = f"error: the record was not written to {path}: {error.strerror or error}"
        err.print(reason, style="red", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(ExitCode.INFRASTRUCTURE) from error


def usage_error(message: str) -> NoReturn:
    """Ends the command with a one-line error and the exit code for wrong usage."""
    _end(message, ExitCode.USAGE)


def infrastructure_error(message: str) -> NoReturn:
    """Ends the command with a one-line error and the exit code for what this machine lacks."""
    _end(message, ExitCode.INFRASTRUCTURE)


def _end(message: str, code: ExitCode) -> NoReturn:
    err.print(f"error: {message}", style="red", markup=False, highlight=False, soft_wrap=True)
    raise typer.Exit(code)


@contextmanager
def usage_errors() -> Generator[None]:
    """Turns what a wrong name, file or option raises into a usage error."""
    try:
        yield
    except _WRONG_USAGE as error:
        usage_error(str(error))
    except ValidationError as error:
        first = error.errors()[0]
        usage_error(f"{'.'.join(map(str, first['loc']))} = {first['input']!r}: {first['msg']}")


def exit_code(verdict: Verdict) -> ExitCode:
    """Returns the exit code for one verdict."""
    if isinstance(verdict, Failed):
        return ExitCode.CANDIDATE_FAILED if verdict.owner is Owner.CANDIDATE else ExitCode.INFRASTRUCTURE
    return ExitCode.PASSED
