"""The catalogue's pages as GitHub-flavoured Markdown."""

import textwrap
from collections.abc import Sequence
from typing import Any, cast

import jinja2

from jaxbench_harness.cli.show_workload import audit_lines
from jaxbench_harness.cli.units import in_bytes, in_percent, in_time, three_digits, with_prefix
from jaxbench_harness.cli.workload_documents import ShowDocument
from jaxbench_harness.records import Bound
from jaxbench_harness.targets import TARGETS

FIGURE_TARGET = "v6e"
"""Target of the bounds in the table and of the figure: the one that published times are of."""

_TEXT_WIDTH = 100


def _cell(text: str) -> str:
    """Returns text that may stand in a cell of a table."""
    return text.replace("|", "\\|")


def _code(text: str) -> str:
    """Returns text as code in a cell of a table."""
    return f"`{_cell(text)}`" if text else ""


def _published(document: ShowDocument, implementation: str) -> str:
    """Returns the time of an implementation, marked where it does not compare; empty where there is none."""
    found = (one for one in document.published if one.implementation == implementation)
    return "".join(f"{in_time(one.time_ns)}{'' if one.comparable else '*'}" for one in found)


def _nominal_and_useful(bound: Bound) -> str:
    """Returns the nominal FLOPs, and the useful ones in brackets where they look different."""
    nominal, useful = with_prefix(bound.nominal_flops, ""), with_prefix(bound.flops, "")
    return nominal if nominal == useful else f"{nominal} ({useful})"


def _wrapped(text: str) -> str:
    return textwrap.fill(text, _TEXT_WIDTH, break_long_words=False, break_on_hyphens=False)


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("jaxbench_workloads.catalogue"),
        autoescape=False,  # noqa: S701 - Markdown of our own data
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    cast("dict[str, Any]", environment.filters).update(
        {
            "audit_lines": audit_lines,
            "cell": _cell,
            "code": _code,
            "flops": _nominal_and_useful,
            "in_bytes": in_bytes,
            "in_percent": in_percent,
            "in_time": in_time,
            "published": _published,
            "three_digits": three_digits,
            "with_prefix": with_prefix,
            "wrapped": _wrapped,
        }
    )
    return environment


_TEMPLATES = _environment()


def catalogue_pages(documents: Sequence[ShowDocument]) -> dict[str, str]:
    """Returns the content of every page by the name of its file: `index.md` and one per workload."""
    pages = {"index.md": index_page(documents)}
    return pages | {f"{document.id}.md": workload_page(document) for document in documents}


def index_page(documents: Sequence[ShowDocument]) -> str:
    """Returns the page with the figure and the table of all workloads."""
    template = _TEMPLATES.get_template("index.md.j2")
    return template.render(documents=documents, target=TARGETS[FIGURE_TARGET])


def workload_page(document: ShowDocument) -> str:
    """Returns the page of one workload."""
    dims = dict.fromkeys(dim for size in document.sizes.values() for dim in size.dims)
    work = document.bounds[FIGURE_TARGET]
    return _TEMPLATES.get_template("workload.md.j2").render(document=document, dims=dims, work=work, targets=TARGETS)
