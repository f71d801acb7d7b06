"""Assembles the `jaxbench` command from this package's commands and those of other packages."""

import logging
import sys
from collections.abc import Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Annotated

import typer

from jaxbench_harness.cli.cache_command import cache_app
from jaxbench_harness.cli.compile_candidate import compile_candidate
from jaxbench_harness.cli.doctor import doctor
from jaxbench_harness.cli.evaluate_candidate import evaluate_candidate
from jaxbench_harness.cli.list_workloads import list_workloads
from jaxbench_harness.cli.predict_candidate import predict_candidate
from jaxbench_harness.cli.print_schema import print_schema
from jaxbench_harness.cli.run_baselines import run_baselines
from jaxbench_harness.cli.show_workload import show_workload
from jaxbench_harness.cli.terminal import ExitCode, err
from jaxbench_harness.records import one_line

GROUP = "jaxbench.commands"

app = typer.Typer(
    name="jaxbench",
    help="Judge TPU kernels: correctness, compile verdict and bounds, without a TPU at hand.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("list")(list_workloads)
app.command("show")(show_workload)
app.command("evaluate")(evaluate_candidate)
app.command("compile")(compile_candidate)
app.command("predict")(predict_candidate)
app.command("run")(run_baselines)
app.add_typer(cache_app, name="cache")
app.command("doctor")(doctor)
app.command("schema")(print_schema)


@app.callback()
def configure(
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log what the harness does.")] = False,
) -> None:
    """Sets up logging for every command."""
    logging.basicConfig(
        level=logging.DEBUG if verbose else logging.WARNING, format="%(levelname)s %(name)s: %(message)s"
    )


def _wanted(arguments: Sequence[str]) -> list[EntryPoint]:
    """Returns the commands of other packages that may be asked for: importing one can take longer than it runs."""
    points = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    asked = next((argument for argument in arguments if not argument.startswith("-")), None)
    if asked in {command.name for command in app.registered_commands}:
        return []
    return [point for point in points if point.name == asked] or points


def main() -> None:
    """Runs the command line; other packages' commands are Typer apps or functions named by their entry point."""
    try:
        for point in _wanted(sys.argv[1:]):
            command = point.load()
            if isinstance(command, typer.Typer):
                app.add_typer(command, name=point.name)
            else:
                app.command(point.name)(command)
        app()
    except Exception as error:
        logging.getLogger(__name__).debug("uncaught", exc_info=True)
        message = one_line(f"internal error: {type(error).__name__}: {error}; `jaxbench --verbose` shows where")
        err.print(message, style="red", markup=False, soft_wrap=True)
        sys.exit(ExitCode.INFRASTRUCTURE)
