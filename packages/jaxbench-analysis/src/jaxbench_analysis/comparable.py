"""What may stand in one aggregate. Kinds, targets, releases and workload definitions never mix."""

from collections.abc import Mapping, Sequence

import polars as pl

from jaxbench_analysis.columns import require_columns
from jaxbench_analysis.errors import AnalysisError, MixedRecordsError

_ALWAYS: Mapping[str, str] = {"source": "source", "target": "target", "release": "release"}
_TIMED: Mapping[str, str] = {"timing_kind": "kind", "clock": "clock", "predictor": "predictor"}
"""Columns that hold one value in an aggregate, by the command line's option for it."""

_DEFINITION = ("workload_digest", "workload_version")


def comparable(frame: pl.DataFrame | pl.LazyFrame, *, timed: bool = True) -> pl.LazyFrame:
    """Returns the frame, having seen that its records may stand in one aggregate.

    Records whose evaluation the infrastructure failed stay in; they are no candidate's fault, and counted apart.

    Args:
        frame: A frame of records.
        timed: Whether times are to be aggregated; then kind, clock and predictor must agree as well.

    Raises:
        MixedRecordsError: If the records mix sources, targets, releases or definitions of a workload, or kinds, clocks
            or predictors of their times. It says what to filter.
        AnalysisError: If a time is not a positive finite number.
        MissingColumnsError: If `frame` is no frame of records.
    """
    lazy = require_columns(frame.lazy())
    options = {**_ALWAYS, **(_TIMED if timed else {})}
    values = lazy.select(_values(column).implode() for column in options).collect()
    for column, option in options.items():
        _require_one(column, option, values[column].item().to_list())
    _require_one_definition(lazy)
    if timed:
        _require_real_times(lazy)
    return lazy


def _values(column: str) -> pl.Expr:
    """Returns the distinct values; a record without a time is of no kind, one without a release is of none."""
    distinct = pl.col(column).unique()
    return distinct.drop_nulls() if column in _TIMED else distinct


def _require_one(column: str, option: str, values: Sequence[str | None]) -> None:
    if len(values) <= 1:
        return
    shown = ", ".join(sorted("none" if value is None else value for value in values))
    example = next(value for value in sorted(value for value in values if value is not None))
    raise MixedRecordsError(
        f"records of different {column} in one aggregate ({shown}): filter one, "
        f"pl.col({column!r}) == {example!r} or --{option} {example}"
    )


def _require_one_definition(lazy: pl.LazyFrame) -> None:
    definitions = pl.struct(*_DEFINITION).n_unique()
    mixed = (
        lazy.group_by("workload_id")
        .agg(definitions.alias("definitions"), *(pl.col(name).unique() for name in _DEFINITION))
        .filter(pl.col("definitions") > 1)
        .sort("workload_id")
        .collect()
    )
    for row in mixed.head(1).iter_rows(named=True):
        digests = ", ".join(sorted((digest or "none")[:12] for digest in row["workload_digest"]))
        raise MixedRecordsError(
            f"records of {row['definitions']} definitions of {row['workload_id']} in one aggregate (digests {digests}; "
            f"{mixed.height} such workloads): filter one workload_digest or one release, or --release NAME"
        )


def _require_real_times(lazy: pl.LazyFrame) -> None:
    time = pl.col("time_ns")
    wrong = lazy.filter(time.is_not_null() & ~(time.is_finite() & (time > 0)))
    for evaluation, value in wrong.select("evaluation_id", "time_ns").head(1).collect().iter_rows():
        raise AnalysisError(
            f"evaluation {evaluation} has a time of {value} ns; a time is a positive finite number: filter the "
            "evaluation out and look at how it was timed"
        )
