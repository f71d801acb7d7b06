"""`jaxbench compare`: two runs or methods, workload by workload."""

import functools
from collections import Counter
from pathlib import Path
from typing import Annotated

import polars as pl
import typer

from jaxbench_analysis.cli.documents import CompareDocument
from jaxbench_analysis.cli.talking import (
    ClockOption,
    JsonOption,
    KindOption,
    PredictorOption,
    ReleaseOption,
    SourceOption,
    TargetOption,
    print_json,
    print_table,
    report_left_out,
    say,
    usage_errors,
)
from jaxbench_analysis.comparing import compare
from jaxbench_analysis.loading import PUBLISHED, load_results
from jaxbench_analysis.selecting import Selection, run_or_method
from jaxbench_analysis.tables import COMPARISON, table_of

Side = Annotated[
    str, typer.Argument(help="A results folder or file, or a run id or method in --results.", show_default=False)
]


def compare_sides(
    a: Side,
    b: Side,
    results: Annotated[str, typer.Option("--results", help="Where runs and methods are looked up.")] = "results",
    kind: KindOption = None,
    target: TargetOption = None,
    release: ReleaseOption = None,
    source: SourceOption = None,
    clock: ClockOption = None,
    predictor: PredictorOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say per workload whether B is better than A, worse, or no different, and by which test."""
    selection = Selection(kind, target, release, source, clock, predictor)
    with usage_errors():
        looked_up = functools.cache(lambda: selection.of(_loaded(results)))
        sides = [
            selection.of(_loaded(side)) if _is_place(side) else run_or_method(looked_up(), side) for side in (a, b)
        ]
        compared = compare(*sides)
    if as_json:
        print_json(CompareDocument.of(compared, a, b))
        return
    print_table(table_of(compared, COMPARISON), f"A is {a}, B is {b}")
    counts = Counter(compared["outcome"].to_list())
    say(", ".join(f"{count} {outcome}" for outcome, count in counts.most_common()))


def _is_place(side: str) -> bool:
    return side == PUBLISHED or Path(side).exists()


def _loaded(place: str) -> pl.LazyFrame:
    loaded = load_results(place)
    report_left_out(loaded.report)
    return loaded.frame
