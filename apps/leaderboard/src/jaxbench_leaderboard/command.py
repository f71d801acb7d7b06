"""`jaxbench leaderboard`: serves the app."""

import os
from pathlib import Path
from typing import Annotated

import typer

from jaxbench_analysis.loading import PUBLISHED
from jaxbench_analysis.shipped import results_path
from jaxbench_leaderboard.results import VARIABLE, asked_places

APP = Path(__file__).with_name("app.py")
_USAGE = 2

PlacesArgument = Annotated[
    list[str] | None,
    typer.Argument(
        help="Results folders, files of records, `published` or `baselines`; "
        f"by default those of {VARIABLE}, or else the last two."
    ),
]


def leaderboard(
    results: PlacesArgument = None,
    port: Annotated[int, typer.Option("--port", help="Port to listen on.", min=1, max=65535)] = 8501,
    address: Annotated[str, typer.Option("--address", help="Address to listen on; 0.0.0.0 for all.")] = "localhost",
    open_browser: Annotated[bool, typer.Option("--open", help="Open a browser.")] = False,
) -> None:
    """Serve the leaderboard: rankings, workloads, methods, calibration and bounds from records, as a web app."""
    from streamlit import config  # noqa: PLC0415 - takes a second
    from streamlit.logger import set_log_level  # noqa: PLC0415
    from streamlit.web import cli  # noqa: PLC0415

    level = os.environ.get("STREAMLIT_LOGGER_LEVEL", "error")
    config.get_option("logger.level")  # reading the settings sets the level, too
    set_log_level(level)  # the visits of the warm-up would be warned of: they have no browser

    from jaxbench_leaderboard.warming import warm_up  # noqa: PLC0415 - imports Altair and Streamlit

    if clash := [place for place in results or () if os.pathsep in place]:
        typer.echo(f"error: {clash[0]}: a path of results cannot hold {os.pathsep!r}; rename it", err=True)
        raise typer.Exit(_USAGE)
    if results:
        os.environ[VARIABLE] = os.pathsep.join(results)
    if missing := [place for place in asked_places() if place != PUBLISHED and not results_path(place).exists()]:
        typer.echo(
            f"error: {missing[0]}: no such file or folder; name results, or nothing for those shipped",
            err=True,
        )
        raise typer.Exit(_USAGE)
    warm_up(APP)
    options = {"server.port": port, "server.address": address, "server.headless": str(not open_browser).lower()}
    options["logger.level"] = level
    cli.main(["run", str(APP), *(f"--{name}={value}" for name, value in options.items())])
