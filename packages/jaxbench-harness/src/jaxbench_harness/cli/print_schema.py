"""`jaxbench schema NAME`: the JSON Schema of a record or of a command's JSON output."""

import json
from typing import Annotated

import typer

from jaxbench_harness.cli.documents import DOCUMENTS
from jaxbench_harness.cli.terminal import usage_error


def schema_text(name: str) -> str:
    """Returns the JSON Schema of a document as indented text. Raises KeyError for an unknown name."""
    return json.dumps(DOCUMENTS[name].model_json_schema(mode="serialization"), indent=2, sort_keys=True) + "\n"


def print_schema(
    name: Annotated[str, typer.Argument(help=f"One of {', '.join(DOCUMENTS)}.")] = "record",
) -> None:
    """Print the JSON Schema of a record or of what a command prints with --json."""
    if name not in DOCUMENTS:
        usage_error(f"unknown schema {name!r}; there are {', '.join(DOCUMENTS)}")
    typer.echo(schema_text(name), nl=False)
