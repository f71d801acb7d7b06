"""`jaxbench schema NAME`: the JSON Schema of a record or of a command's JSON output."""

import functools
import json
from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Annotated, cast

import typer

from jaxbench_harness.cli.documents import DOCUMENTS
from jaxbench_harness.cli.terminal import usage_error
from jaxbench_harness.records import Model

GROUP = "jaxbench.documents"


@functools.cache
def all_documents() -> Mapping[str, type[Model]]:
    """Returns the documents of this package's commands and, through their entry points, of other packages'."""
    found: dict[str, type[Model]] = dict(DOCUMENTS)
    for point in entry_points(group=GROUP):
        found |= cast("Mapping[str, type[Model]]", point.load())
    return found


def schema_text(name: str) -> str:
    """Returns the JSON Schema of a document as indented text. Raises KeyError for an unknown name."""
    return json.dumps(all_documents()[name].model_json_schema(mode="serialization"), indent=2, sort_keys=True) + "\n"


def print_schema(
    name: Annotated[str, typer.Argument(help="record, or the name of a command: list, release-list.")] = "record",
) -> None:
    """Print the JSON Schema of a record or of what a command prints with --json."""
    if name not in all_documents():
        usage_error(f"unknown schema {name!r}; there are {', '.join(all_documents())}")
    typer.echo(schema_text(name), nl=False)
