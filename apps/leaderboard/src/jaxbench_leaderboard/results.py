"""The records that the app shows: what the server was started with, and what this session has added."""

import functools
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from jaxbench_analysis import SCHEMA, Loaded, LoadReport, Problem, ResultsError, load_results, merged, with_bounds
from jaxbench_analysis.loading import PUBLISHED, record_files
from jaxbench_analysis.shipped import results_path, shipped_results
from jaxbench_leaderboard.workload_cards import known_bounds

VARIABLE = "JAXBENCH_RESULTS"
"""Environment variable with the places that results are read from, separated as in PATH."""

_KEPT = 2
"""Loaded states of the results that are kept in memory: the current one, and the one that others still look at."""


@dataclass(frozen=True)
class Results:
    """Records, and what was left out of them."""

    key: str
    """Differs whenever the records may differ; what caches go by."""
    frame: pl.DataFrame
    """A frame of records; bounds that were not stated are those of the workload."""
    places: tuple[str, ...]
    """Where they were read from."""
    report: LoadReport
    """What became of the lines."""
    errors: tuple[str, ...]
    """Places that could not be read, and why."""


def asked_places() -> tuple[str, ...]:
    """Returns the places that the server was started with; the published times and what packages ship otherwise."""
    named = tuple(filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)))
    if named:
        return named
    return (PUBLISHED, *shipped_results())


def server_results() -> Results:
    """Returns the records of the server's places, read anew when a file has changed."""
    places = asked_places()
    return _read(places, tuple(map(_stamp, places)))


def beside(results: Results, added: Results) -> Results:
    """Returns the records of both; of equal evaluation ids the first is kept."""
    both = merged([Loaded(one.frame.lazy(), one.report) for one in (results, added)])
    return Results(
        key=f"{results.key}+{added.key}",
        frame=both.frame.collect(),
        places=(*results.places, *added.places),
        report=both.report,
        errors=(*results.errors, *added.errors),
    )


def read_places(places: Sequence[str], key: str) -> Results:
    """Reads places; one that cannot be read becomes an error, and the others are still shown."""
    loaded: list[Loaded] = []
    errors: list[str] = []
    for place in places:
        try:
            loaded.append(_read_one(place))
        except ResultsError as error:
            errors.append(str(error))
        except OSError as error:
            errors.append(f"{error.filename or place}: {error.strerror or error}")
    every = merged(loaded) if loaded else Loaded(pl.LazyFrame(schema=SCHEMA), LoadReport(0, 0, 0, ()))
    frame = with_bounds(every.frame, known_bounds()).collect()
    return Results(key, frame, tuple(places), every.report, tuple(errors))


def _read_one(place: str) -> Loaded:
    loaded = load_results(place)
    try:
        return Loaded(loaded.frame.collect().lazy(), loaded.report)
    except pl.exceptions.PolarsError as error:
        raise ResultsError(f"{place}: a column holds what no record has: {str(error).splitlines()[0]}") from error


@functools.lru_cache(maxsize=_KEPT)
def _read(places: tuple[str, ...], stamps: tuple[object, ...]) -> Results:
    return read_places(places, f"{hash((places, stamps)):x}")


def _stamp(place: str) -> tuple[tuple[str, int, int], ...]:
    """Returns name, size and time of change of every file of a place."""
    if place == PUBLISHED:
        return ()
    lines, parts = record_files(results_path(place))
    found: list[tuple[str, int, int]] = []
    for path in (*lines, *parts):
        try:
            status = path.stat()
        except OSError:
            continue
        found.append((str(path), status.st_size, status.st_mtime_ns))
    return tuple(found)


def problem_rows(problems: Sequence[Problem]) -> pl.DataFrame:
    """Returns lines that are no records as a table: file, line, reason."""
    rows = [(Path(one.file).name, one.line, one.reason) for one in problems]
    return pl.DataFrame(rows, schema={"file": pl.String(), "line": pl.Int64(), "reason": pl.String()}, orient="row")
