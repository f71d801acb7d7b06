"""JSON lines into partitioned Parquet and back, losing nothing."""

import functools
import multiprocessing
import shutil
import tempfile
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import quote

import polars as pl

from jaxbench_analysis.errors import ResultsError
from jaxbench_analysis.loading import REJECTED, VERSION_KEY
from jaxbench_analysis.record_lines import Chunk, Problem, chunks, read_chunk
from jaxbench_harness.records import SCHEMA_VERSION

_ORIGIN = {"file": pl.String(), "line": pl.Int64()}
_REJECTED_SCHEMA = pl.Schema(_ORIGIN | {"reason": pl.String(), "bytes": pl.Binary()})

_FOLDER_MODE = 0o755
"""Temporary folders are readable by their owner only."""

EXTRA_COLUMNS = ("file", "line", "json")
"""What a compacted file has beside the declared columns: where each record stood, and its line as it was."""


@dataclass(frozen=True)
class Compacted:
    """What `compact` wrote."""

    files: int
    """Files of JSON lines."""
    records: int
    """Records, those with equal evaluation ids included."""
    parts: tuple[Path, ...]
    """Parquet files."""
    problems: tuple[Problem, ...]
    """Lines that are no records; they are kept in a file of their own."""


@dataclass(frozen=True)
class _Written:
    """What became of one chunk."""

    records: int
    parts: tuple[Path, ...]
    problems: tuple[Problem, ...]


def compact(results: Path, folder: Path, *, jobs: int = 1) -> Compacted:
    """Writes the records of JSON lines as Parquet, one folder per target.

    A part holds the declared columns, and beside them file, line number and the line itself, byte for byte. Lines that
    are no records go to `_rejected.parquet`, so that `expand` gives back every line that is not blank.

    Args:
        results: A folder with `*.jsonl` files, or one such file.
        folder: Where to write; must not exist, or be empty.
        jobs: Processes that share the work, beside this one if more than one. Each is started afresh, so that a script
            needs its `if __name__ == "__main__"`.

    Raises:
        ResultsError: If there is nothing to read, or `folder` is not empty.
        NewerSchemaError: If a record is of a newer schema version. Then nothing is written.
    """
    files = sorted(results.rglob("*.jsonl")) if results.is_dir() else [results] if results.is_file() else []
    if not files:
        raise ResultsError(f"{results} holds no *.jsonl file; name a results folder or a file of records")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ResultsError(f"{folder} is not empty; name a folder that does not exist")
    root = results if results.is_dir() else results.parent
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}-"))
    tasks = (chunk for file in files for chunk in chunks(file, name=file.relative_to(root).as_posix()))
    try:
        written = _write_all(enumerate(tasks), unfinished, jobs)
        unfinished.chmod(_FOLDER_MODE)
        unfinished.replace(folder)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    return Compacted(
        files=len(files),
        records=sum(one.records for one in written),
        parts=tuple(folder / part.relative_to(unfinished) for one in written for part in one.parts),
        problems=tuple(problem for one in written for problem in one.problems),
    )


def expand(folder: Path, results: Path) -> list[Path]:
    """Writes the lines that `compact` read to files of their names, in their order.

    Args:
        folder: What `compact` wrote.
        results: Folder to write to; must not have these files.

    Returns:
        The files.

    Raises:
        ResultsError: If there are no such parts in `folder`, or a file exists.
    """
    parts = [part for part in sorted(folder.rglob("*.parquet")) if part.name != REJECTED]
    rejected = folder / REJECTED
    if not rejected.is_file():
        raise ResultsError(f"{folder} has no {REJECTED}; name a folder that `jaxbench results compact` wrote")
    lines = [pl.scan_parquet(rejected).select(*_ORIGIN, "bytes")]
    lines += [_scan(part).select(*_ORIGIN, pl.col("json").cast(pl.Binary).alias("bytes")) for part in parts]
    every = pl.concat(lines)
    names = every.select(pl.col("file").unique().sort()).collect().to_series().to_list()
    if outside := [name for name in names if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts]:
        raise ResultsError(f"{folder} names a file outside the folder, {outside[0]!r}; it is not what `compact` writes")
    if taken := [name for name in names if (results / name).exists()]:
        raise ResultsError(f"{results / taken[0]} exists; name a folder without it")
    return [_write_file(results / name, every.filter(pl.col("file") == name)) for name in names]


def _write_all(tasks: Iterable[tuple[int, Chunk]], folder: Path, jobs: int) -> list[_Written]:
    write = functools.partial(_write_chunk, folder=folder)
    if jobs == 1:
        written = [write(task) for task in tasks]
    else:
        # Polars has threads, which a forked process would not survive.
        with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
            written = list(pool.map(write, tasks))
    _write_rejected(folder)
    return written


def _write_chunk(task: tuple[int, Chunk], *, folder: Path) -> _Written:
    index, chunk = task
    block = read_chunk(chunk)
    frame = block.frame()
    origin = pl.DataFrame({"line": block.numbers, "json": [line.decode() for line in block.lines]})
    plain = frame.with_columns(pl.col(pl.Enum).cast(pl.String))
    whole = plain.hstack(origin.insert_column(0, pl.Series("file", [block.file]).new_from_index(0, origin.height)))
    parts: list[Path] = []
    for (target,), rows in whole.partition_by("target", as_dict=True).items():
        part = folder / f"target={quote(str(target), safe='')}" / f"part-{index:05d}.parquet"
        part.parent.mkdir(parents=True, exist_ok=True)
        rows.write_parquet(part, compression_level=1, metadata={VERSION_KEY: str(SCHEMA_VERSION)})
        parts.append(part)
    if block.problems:
        rejected = {
            "file": [problem.file for problem in block.problems],
            "line": [problem.line for problem in block.problems],
            "reason": [problem.reason for problem in block.problems],
            "bytes": block.rejected,
        }
        pl.DataFrame(rejected, schema=_REJECTED_SCHEMA).write_parquet(folder / f"_rejected-{index:05d}.parquet")
    return _Written(frame.height, tuple(parts), tuple(block.problems))


def _write_rejected(folder: Path) -> None:
    """Joins the rejected lines of all blocks in one file, which also marks the folder as complete."""
    pieces = sorted(folder.glob("_rejected-*.parquet"))
    rejected = pl.concat([pl.DataFrame(schema=_REJECTED_SCHEMA), *map(pl.read_parquet, pieces)])
    rejected.write_parquet(folder / REJECTED)
    for piece in pieces:
        piece.unlink()


def _scan(part: Path) -> pl.LazyFrame:
    try:
        scanned = pl.scan_parquet(part, hive_partitioning=False)
        names = scanned.collect_schema().names()
    except pl.exceptions.PolarsError as error:
        raise ResultsError(f"{part}: not a Parquet file: {str(error).splitlines()[0]}") from error
    if missing := [name for name in EXTRA_COLUMNS if name not in names]:
        raise ResultsError(f"{part}: no column {', '.join(missing)}: not written by `jaxbench results compact`")
    return scanned


def _write_file(path: Path, lines: pl.LazyFrame) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as stream:
        for text in lines.sort("line").select("bytes").collect().to_series():
            stream.write(text + b"\n")
    return path
