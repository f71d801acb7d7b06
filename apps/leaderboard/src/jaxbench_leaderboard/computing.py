"""What pages show, computed by the analysis once per choice of filters."""

from dataclasses import dataclass

import numpy as np
import polars as pl
import streamlit as st

from jaxbench_analysis import (
    Speedups,
    against,
    best_so_far,
    calibration,
    fast_p,
    pairs_within,
    sample_deviations,
    speedups,
    standings,
    waterfall,
)
from jaxbench_leaderboard.filters import Filters
from jaxbench_leaderboard.results import Results

_THRESHOLDS = np.geomspace(0.125, 16, 225).tolist()


@dataclass(frozen=True)
class Comparison:
    """Records that may stand in one table, and what follows from them."""

    key: str
    """Differs whenever anything else here does."""
    frame: pl.DataFrame
    speedups: Speedups
    standings: pl.DataFrame


@st.cache_resource(max_entries=8, show_spinner="Comparing times")
def _compared(key: str, filters: Filters, _frame: pl.DataFrame) -> Comparison:
    frame = filters.of(_frame)
    compared = speedups(frame, baseline=filters.baseline)
    return Comparison(f"{key}:{filters!r}", frame, compared, standings(frame, compared))


def comparison(results: Results, filters: Filters) -> Comparison:
    """Returns the comparison of the records that are meant.

    Raises:
        AnalysisError: If there are none, or they may not stand in one table.
    """
    return _compared(results.key, filters, results.frame)


@st.cache_resource(max_entries=16, show_spinner=False)
def _curves(key: str, entrants: tuple[str, ...], _compared: Speedups) -> pl.DataFrame:
    return fast_p(_compared, _THRESHOLDS).filter(pl.col("entrant").is_in(entrants))


def curves(compared: Comparison, entrants: tuple[str, ...]) -> pl.DataFrame:
    """Returns fast_p of entrants."""
    return _curves(compared.key, entrants, compared.speedups)


@st.cache_resource(max_entries=16, show_spinner="Following samples")
def _growth(key: str, baseline: str, _frame: pl.DataFrame) -> pl.DataFrame:
    return best_so_far(_frame, baseline=baseline)


def growth(compared: Comparison) -> pl.DataFrame:
    """Returns how the best speedup of every method grows with its samples."""
    return _growth(compared.key, compared.speedups.baseline, compared.frame)


@st.cache_resource(max_entries=16, show_spinner="Testing differences")
def _wins(key: str, own: str, others: tuple[str, ...], _frame: pl.DataFrame) -> pl.DataFrame:
    return against(_frame, own, others)


def wins(compared: Comparison, own: str, others: tuple[str, ...]) -> pl.DataFrame:
    """Returns wins, ties and losses of an entrant against others."""
    return _wins(compared.key, own, others, compared.frame)


@st.cache_resource(max_entries=64, show_spinner=False)
def _calls(key: str, workload: str, _frame: pl.DataFrame) -> pl.DataFrame:
    return sample_deviations(_frame.filter(pl.col("workload_id") == workload))


def calls(compared: Comparison, workload: str) -> pl.DataFrame:
    """Returns every timed call on a workload."""
    return _calls(compared.key, workload, compared.frame)


@st.cache_resource(max_entries=64, show_spinner=False)
def _steps(key: str, workload: str, _frame: pl.DataFrame) -> pl.DataFrame:
    return waterfall(_frame.filter(pl.col("workload_id") == workload))


def steps(compared: Comparison, workload: str) -> pl.DataFrame:
    """Returns where samples of a workload end."""
    return _steps(compared.key, workload, compared.frame)


@dataclass(frozen=True)
class Pairs:
    """Predicted times beside measured ones."""

    pairs: pl.DataFrame
    summary: pl.DataFrame


@st.cache_resource(max_entries=8, show_spinner="Pairing times")
def _pairs(key: str, target: str | None, predictor: str | None, release: str | None, _frame: pl.DataFrame) -> Pairs:
    evaluated = _frame.lazy().filter((pl.col("source") == "evaluation") & pl.col("timing_kind").is_not_null())
    here = evaluated.filter(pl.col("target").eq_missing(pl.lit(target)) & pl.col("release").eq_missing(pl.lit(release)))
    is_other = (pl.col("timing_kind") == "predicted") & (pl.col("predictor") != pl.lit(predictor))
    found = pairs_within(here.filter(~is_other))
    return Pairs(found, calibration(found))


def pairs(results: Results, *, target: str | None, predictor: str | None, release: str | None) -> Pairs:
    """Returns the predictions of one predictor that have a measured counterpart.

    Raises:
        MixedRecordsError: If they may not stand in one table.
    """
    return _pairs(results.key, target, predictor, release, results.frame)
