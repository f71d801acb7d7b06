"""What the pages say of one record beyond the columns of the frame: facts of its compile, prediction and flags."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import polars as pl

from jaxbench_harness.cli.units import in_bytes, in_percent, in_time, three_digits, with_prefix

Document = Mapping[str, Any]
Facts = list[tuple[str, str]]

_MOST_ROWS = 20
"""Rows of a list in a prediction's report that are shown."""


def compile_facts(document: Document) -> Facts:
    """Returns what the compiler said of the full-size Program."""
    report = _part(document, "compile")
    kind = report.get("kind")
    if kind == "compiled":
        hbm = sum(report.get(name) or 0 for name in ("argument_bytes", "output_bytes", "temp_bytes", "code_bytes"))
        facts = [
            ("compiled in", f"{three_digits(report['compile_s'])} s"),
            ("HBM in all", in_bytes(hbm)),
            ("HBM for temporaries", in_bytes(report["temp_bytes"])),
            ("fits in HBM", "yes" if report["fits_hbm"] else "no"),
        ]
        program = _part(document, "program")
        if program.get("flops") is not None:
            facts.append(("FLOPs of the Program", with_prefix(program["flops"], "FLOP")))
        return facts
    if kind == "refused":
        return [("refused after", f"{three_digits(report['compile_s'])} s"), ("message", report["message"])]
    return [("not compiled", report["reason"])] if kind == "skipped" else []


def kernel_rows(document: Document) -> pl.DataFrame:
    """Returns the Mosaic kernels of a Program: kernel, grid, vmem, flops, as text."""
    reports = {one["name"]: one for one in _items(_part(document, "program"), "kernels")}
    compiled = _items(_part(document, "compile"), "kernels")
    rows: list[tuple[str, str | None, str | None, str | None]] = []
    for place, one in enumerate(compiled):
        # The compiler numbers the names of the source: `gemm.1` is the kernel `gemm`.
        report = reports.get(one["name"]) or reports.get(one["name"].rpartition(".")[0])
        if report is None and len(reports) == len(compiled):
            report = list(reports.values())[place]
        rows.append((one["name"], _grid(report), _bytes(one.get("vmem_bytes")), _flops(report)))
    if not compiled:
        rows = [(name, _grid(report), None, _flops(report)) for name, report in reports.items()]
    return pl.DataFrame(rows, schema=dict.fromkeys(("kernel", "grid", "vmem", "flops"), pl.String()), orient="row")


def _grid(report: Document | None) -> str | None:
    if report is None:
        return None
    steps = ["?" if extent is None else str(extent) for extent in report["grid"]]
    return " x ".join(steps) or "no grid"


def _bytes(value: int | None) -> str | None:
    return None if value is None else in_bytes(value)


def _flops(report: Document | None) -> str | None:
    return None if report is None or report.get("flops") is None else with_prefix(report["flops"], "FLOP")


def flag_rows(document: Document) -> Facts:
    """Returns the flags of a record, each with the numbers behind it."""
    return [(flag["code"], flag["detail"]) for flag in _items(document, "flags")]


def environment_facts(document: Document) -> Facts:
    """Returns the versions and the host that a record names."""
    environment = _part(document, "environment")
    names = ("harness", "jax", "jaxlib", "libtpu", "tokamax", "python", "device_kind", "platform", "git_commit")
    return [(name.replace("_", " "), str(environment[name])) for name in names if environment.get(name)]


def prediction_facts(document: Document) -> tuple[Facts, dict[str, pl.DataFrame]]:
    """Returns what a prediction says of where time goes: single facts, and tables by name.

    The breakdown is shown as it is, whatever fields it has, with the units that its names end in.
    """
    report = _part(_part(document, "timing"), "breakdown")
    facts: Facts = []
    tables: dict[str, pl.DataFrame] = {}
    for name, value in report.items():
        if isinstance(value, Mapping):
            shares = [{name: key, "share": share} for key, share in cast("Document", value).items()]
            tables |= _table(name, shares)
        elif isinstance(value, list | tuple):
            tables |= _table(name, cast("Sequence[Any]", value))
        elif value is not None:
            facts.append((_label(name), _shown(name, value)))
    return facts, tables


def _table(name: str, items: Sequence[Any]) -> dict[str, pl.DataFrame]:
    if not items:
        return {}
    rows = [cast("Document", item) if isinstance(item, Mapping) else {name: item} for item in items[:_MOST_ROWS]]
    columns = list(dict.fromkeys(column for row in rows for column in row))
    content = {
        _label(column): [None if row.get(column) is None else _shown(column, row[column]) for row in rows]
        for column in columns
    }
    return {_label(name): pl.DataFrame(content, schema=dict.fromkeys(content, pl.String()))}


def _label(name: str) -> str:
    for ending in ("_ns", "_bytes"):
        name = name.removesuffix(ending)
    return name.replace("_", " ")


def _shown(name: str, value: Any) -> str:
    if isinstance(value, list | tuple):
        return " x ".join(map(str, cast("Sequence[Any]", value)))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if name.endswith("_ns"):
        return in_time(value)
    if name.endswith("bytes"):
        return in_bytes(value)
    if name.endswith(("share", "fraction")):
        return in_percent(value)
    return f"{value:,}" if isinstance(value, int) else three_digits(value)


def _part(document: Document, name: str) -> Document:
    """Returns an object inside another; empty where there is none."""
    found = document.get(name)
    return cast("Document", found) if isinstance(found, Mapping) else {}


def _items(document: Document, name: str) -> Sequence[Document]:
    return cast("Sequence[Document]", document.get(name) or ())
