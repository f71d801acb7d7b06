"""Which records of a results folder are meant: filters, runs and methods."""

from dataclasses import dataclass

import polars as pl

from jaxbench_analysis.errors import AnalysisError

NONE = "none"
"""How a filter names what is null: records outside a release."""


@dataclass(frozen=True)
class Selection:
    """What has to hold for a record; None leaves a column alone."""

    kind: str | None = None
    target: str | None = None
    release: str | None = None
    source: str | None = None
    clock: str | None = None
    predictor: str | None = None

    def of(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        """Returns the records for which it holds.

        A record without a time belongs to every kind: it says what failed, or what was not timed.

        Raises:
            AnalysisError: If it holds for none, naming the values that there are.
        """
        for column, wanted in self._wanted().items():
            matching = frame.filter(_matches(column, wanted))
            if matching.head(1).collect().is_empty():
                found = frame.select(pl.col(column).unique()).collect().to_series().to_list()
                names = ", ".join(sorted(NONE if value is None else str(value) for value in found))
                raise AnalysisError(f"no record with {column} {wanted}; there are records with {names or 'nothing'}")
            frame = matching
        return frame

    def of_every_kind(self, frame: pl.LazyFrame) -> pl.LazyFrame:
        """Returns the records for which it holds but for kind and clock; of predicted times, those of the predictor.

        Raises:
            AnalysisError: If there are none, naming the values that there are.
        """
        found = Selection(target=self.target, release=self.release, source=self.source).of(frame)
        if self.predictor is None:
            return found
        return found.filter((pl.col("timing_kind") != "predicted") | _matches("predictor", self.predictor))

    def _wanted(self) -> dict[str, str]:
        columns = {
            "source": self.source,
            "target": self.target,
            "release": self.release,
            "timing_kind": self.kind,
            "clock": self.clock,
            "predictor": self.predictor,
        }
        return {column: wanted for column, wanted in columns.items() if wanted is not None}


def run_or_method(frame: pl.LazyFrame, name: str) -> pl.LazyFrame:
    """Returns the records of a run id, or of an entrant, by its exact name.

    Raises:
        AnalysisError: If there is neither, or both.
    """
    names = frame.select(pl.col("run_id", "entrant").unique().implode()).collect()
    runs, entrants = names["run_id"].item().to_list(), names["entrant"].item().to_list()
    if name in runs and name in entrants:
        raise AnalysisError(f"{name!r} is a run and a method; name the file of the run instead")
    if name in runs:
        return frame.filter(pl.col("run_id") == name)
    if name in entrants:
        return frame.filter(pl.col("entrant") == name)
    raise AnalysisError(f"no run or method {name!r}; there are {', '.join(sorted(entrants + runs)) or 'no records'}")


def _matches(column: str, wanted: str) -> pl.Expr:
    value = pl.col(column).cast(pl.String)
    if column in {"timing_kind", "clock", "predictor"}:
        return (value == wanted) | pl.col("timing_kind").is_null()
    return value.is_null() if wanted == NONE else value == wanted
