"""`jaxbench catalogue`: writes the pages and the figure about the workloads."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from jaxbench_harness.cli.terminal import ExitCode, err, say, usage_error, usage_errors
from jaxbench_harness.cli.workload_documents import ShowDocument
from jaxbench_workloads import WORKLOADS
from jaxbench_workloads.catalogue import catalogue_pages


def write_catalogue(
    folder: Annotated[
        Path,
        typer.Argument(help="Folder of the documentation: writes to catalogue/ and images/ in it.", file_okay=False),
    ],
    figure: Annotated[bool, typer.Option("--figure/--no-figure", help="Whether to draw the roofline figure.")] = True,
) -> None:
    """Write the catalogue: a page per workload, an index, and a roofline figure as SVG and PNG."""
    with usage_errors():
        documents = [ShowDocument.of(workload) for workload in WORKLOADS]
    images = _images(documents) if figure else {}
    pages = {name: page.encode() for name, page in catalogue_pages(documents).items()}
    try:
        _write(folder / "catalogue", pages)
        _write(folder / "images", images)
    except OSError as error:
        err.print(f"error: the catalogue was not written to {folder}: {error.strerror or error}", markup=False)
        raise typer.Exit(ExitCode.INFRASTRUCTURE) from error
    say(f"{len(pages)} pages and {len(images)} images written to {folder}")


def _images(documents: Sequence[ShowDocument]) -> dict[str, bytes]:
    try:
        from jaxbench_workloads.catalogue.roofline import images  # noqa: PLC0415 - needs an extra
    except ModuleNotFoundError as error:
        usage_error(f"the figure needs {error.name}: install jaxbench-workloads[catalogue], or say --no-figure")
    return images(documents)


def _write(folder: Path, contents: dict[str, bytes]) -> None:
    if contents:
        folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        (folder / name).write_bytes(content)
