"""Whole records by evaluation id, for what the frame has no column for."""

import json
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import polars as pl

from jaxbench_analysis.errors import ResultsError
from jaxbench_analysis.loading import PUBLISHED, record_files
from jaxbench_analysis.shipped import results_path

_ID = re.compile(rb'"evaluation_id"\s*:\s*("(?:[^"\\]|\\.)*")')
"""The key cannot stand inside a string of JSON, where its quotes would be escaped, and no other object has it."""


def read_documents(sources: Sequence[Path | str], evaluations: Collection[str]) -> dict[str, dict[str, Any]]:
    """Returns the JSON of records as it was written, of whatever schema version, by evaluation id.

    Args:
        sources: Folders and files as `load_results` takes them. The published times have no documents.
        evaluations: Ids that are wanted; those that are not found are left out.

    Raises:
        ResultsError: If a file cannot be read.
    """
    wanted, found = set(evaluations), dict[str, dict[str, Any]]()
    for source in sources:
        if len(found) == len(wanted) or str(source) == PUBLISHED:
            continue
        lines, parts = record_files(results_path(source))
        for name, text in (*_of_lines(lines, wanted), *_of_parts(parts, wanted)):
            found.setdefault(name, cast("dict[str, Any]", json.loads(text)))
    return found


def _of_lines(files: Sequence[Path], wanted: Collection[str]) -> Iterator[tuple[str, bytes]]:
    for file in files:
        with file.open("rb") as stream:
            for line in stream:
                match = _ID.search(line)
                name = json.loads(match[1]) if match else None
                if name in wanted and line.endswith(b"\n"):
                    yield str(name), line


def _of_parts(files: Sequence[Path], wanted: Collection[str]) -> Iterator[tuple[str, str]]:
    if not files:
        return
    try:
        scanned = pl.scan_parquet(list(files), hive_partitioning=False, extra_columns="ignore")
        rows = scanned.filter(pl.col("evaluation_id").is_in(wanted)).select("evaluation_id", "json").collect()
    except pl.exceptions.PolarsError as error:
        raise ResultsError(f"{files[0]}: {str(error).splitlines()[0]}") from error
    yield from rows.iter_rows()
