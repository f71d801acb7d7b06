"""Results from files: JSON lines, Parquet or the published times, as one frame of records."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from jaxbench_analysis.columns import COLUMNS, SCHEMA, require_columns
from jaxbench_analysis.errors import NewerSchemaError, ResultsError
from jaxbench_analysis.published import published_records
from jaxbench_analysis.record_lines import Problem, chunks, read_chunk
from jaxbench_analysis.shipped import results_path, shipped_results
from jaxbench_harness.records import SCHEMA_VERSION

PUBLISHED = "published"
"""Name under which the published times load like a folder of results."""

REJECTED = "_rejected.parquet"
"""File of a compacted folder with the lines that are no records."""

VERSION_KEY = "jaxbench_schema_version"
"""Key of the schema version in the metadata of a Parquet file."""


@dataclass(frozen=True)
class LoadReport:
    """What became of the lines of a results folder."""

    files: int
    """Files that were read."""
    records: int
    """Records in the frame."""
    duplicates: int
    """Records left out because an earlier one has the same evaluation id."""
    problems: tuple[Problem, ...]
    """Lines that are no records, and were left out."""


@dataclass(frozen=True)
class Loaded:
    """Records, and what was left out."""

    frame: pl.LazyFrame
    """The declared columns, in the order of files and lines; unique evaluation ids."""
    report: LoadReport
    """What was read and what was left out."""


def load_results(source: Path | str) -> Loaded:
    """Loads results.

    Args:
        source: A folder, searched through for `*.jsonl` and `*.parquet` in the order of their paths; one such file;
            the name of results that a package comes with, such as `baselines`; or `published`, for the times that
            others have published.

    Returns:
        The frame of records. Parquet is read when the frame is collected, and only the columns that are asked for.

    Raises:
        ResultsError: If there is nothing to read there.
        NewerSchemaError: If a record, or a Parquet file, is of a newer schema version.
    """
    if str(source) == PUBLISHED:
        frame = published_records()
        return Loaded(frame, LoadReport(1, frame.select(pl.len()).collect().item(), 0, ()))
    path = results_path(source)
    lines, parts = record_files(path)
    if not lines and not parts:
        missing = "is no file or folder" if not path.exists() else "holds no *.jsonl or *.parquet file"
        names = " or ".join(f"`{name}`" for name in (PUBLISHED, *shipped_results()))
        raise ResultsError(f"{path} {missing}; name a results folder, a file of records, or {names}")
    frames, problems = _read_lines(lines)
    if parts:
        frames.append(scan_parts(parts))
        problems += _recorded_problems(path)
    return _distinct(pl.concat(frames), LoadReport(len(lines) + len(parts), 0, 0, tuple(problems)))


def merged(parts: Sequence[Loaded]) -> Loaded:
    """Returns the records of several places as one frame; of equal evaluation ids the first is kept."""
    frame = pl.concat([pl.LazyFrame(schema=SCHEMA), *(part.frame for part in parts)])
    reports = [part.report for part in parts]
    read = LoadReport(
        files=sum(one.files for one in reports),
        records=0,
        duplicates=sum(one.duplicates for one in reports),
        problems=tuple(problem for one in reports for problem in one.problems),
    )
    return _distinct(frame, read)


def _distinct(frame: pl.LazyFrame, read: LoadReport) -> Loaded:
    """Returns the first record of each evaluation id, and counts them and those left out."""
    count, distinct = frame.select(pl.len(), pl.col("evaluation_id").n_unique().alias("distinct")).collect().row(0)
    if distinct < count:
        frame = frame.unique("evaluation_id", keep="first", maintain_order=True)
    report = replace(read, records=distinct, duplicates=read.duplicates + count - distinct)
    return Loaded(require_columns(frame), report)


def record_files(path: Path) -> tuple[list[Path], list[Path]]:
    """Returns the files of JSON lines and the Parquet files of a folder, or of a file itself, by path."""
    return _files(path, ".jsonl"), [part for part in _files(path, ".parquet") if part.name != REJECTED]


def scan_parts(parts: Sequence[Path]) -> pl.LazyFrame:
    """Returns the declared columns of Parquet files that `compact` wrote.

    Raises:
        NewerSchemaError: If one is of a newer schema version.
        ResultsError: If one has no such columns.
    """
    for part in parts:
        _require_readable(part)
    scanned = pl.scan_parquet(list(parts), hive_partitioning=False, extra_columns="ignore")
    return scanned.select(pl.col(name).cast(dtype) for name, dtype in SCHEMA.items())


def _require_readable(part: Path) -> None:
    try:
        version = pl.read_parquet_metadata(part).get(VERSION_KEY)
        found = set(pl.read_parquet_schema(part))
    except pl.exceptions.PolarsError as error:
        raise ResultsError(f"{part}: not a Parquet file: {str(error).splitlines()[0]}") from error
    if version is None or not version.isdigit():
        raise ResultsError(f"{part}: not written by `jaxbench results compact`")
    if int(version) > SCHEMA_VERSION:
        raise NewerSchemaError(
            f"{part}: schema version {version}, this version reads {SCHEMA_VERSION}; upgrade jaxbench-harness"
        )
    if missing := [column.name for column in COLUMNS if column.name not in found]:
        raise ResultsError(
            f"{part}: no column {', '.join(missing)}, it is of another version; `jaxbench results expand` it, then "
            "`jaxbench results compact` it anew"
        )


def _read_lines(files: Sequence[Path]) -> tuple[list[pl.LazyFrame], list[Problem]]:
    frames: list[pl.LazyFrame] = [pl.LazyFrame(schema=SCHEMA)]
    problems: list[Problem] = []
    for file in files:
        for chunk in chunks(file):
            block = read_chunk(chunk)
            frames.append(block.frame().lazy())
            problems += block.problems
    return frames, problems


def _recorded_problems(folder: Path) -> list[Problem]:
    problems: list[Problem] = []
    for file in folder.rglob(REJECTED) if folder.is_dir() else ():
        rows = pl.read_parquet(file, columns=["file", "line", "reason"]).iter_rows()
        problems += [Problem(name, line, reason) for name, line, reason in rows]
    return problems


def _files(path: Path, suffix: str) -> list[Path]:
    if path.is_file():
        return [path] if path.suffix == suffix else []
    return sorted(path.rglob(f"*{suffix}"))
