"""The filters in the sidebar. Their state is in the URL, so that a link shows what its sender saw."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl
import streamlit as st

from jaxbench_analysis import Selection
from jaxbench_analysis.selecting import NONE
from jaxbench_leaderboard.results import Results
from jaxbench_leaderboard.workload_cards import cards

OTHER_TIER = "other"
"""Tier of workloads that are not of the benchmark."""

NO_MODEL, NO_LIMIT = "no model", "no limit stated"

_SINGLE = {"kind": "timing_kind", "target": "target", "source": "source", "release": "release"}
"""Filters of which exactly one value is shown, since others may not stand beside it; by column."""

_FIRST = {"kind": ("measured",), "source": ("evaluation",), "target": ("v6e",)}
"""Values that are chosen where there are several and the URL names none."""

_LABELS = {
    "kind": ("Timing kind", "Measured and predicted times are never ranked together."),
    "target": ("Target", "The TPU that times are of."),
    "release": ("Release", "Results compare inside one release."),
    "source": ("Source", "Evaluated by this project's own command, or published by others."),
}


@dataclass(frozen=True)
class Filters:
    """What is chosen in the sidebar."""

    kind: str | None
    """`measured` or `predicted`; None where no record has a time."""
    target: str | None
    release: str | None
    """Name, or `none` for records outside a release."""
    source: str | None
    clock: str | None = None
    predictor: str | None = None
    baseline: str = "xla"
    """What speedups are over."""
    tiers: tuple[str, ...] = ()
    """Empty for all, like the following."""
    families: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    budgets: tuple[str, ...] = ()

    def of(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Returns the records that are meant. Baselines stay whatever the model and budget.

        Raises:
            AnalysisError: If there are none.
        """
        selection = Selection(self.kind, self.target, self.release, self.source, self.clock, self.predictor)
        chosen = selection.of(frame.lazy())
        for column, wanted in ((tier(), self.tiers), (family(), self.families)):
            if wanted:
                chosen = chosen.filter(column.is_in(wanted))
        for column, wanted in ((model(), self.models), (budget(), self.budgets)):
            if wanted:
                chosen = chosen.filter(column.is_in(wanted) | (pl.col("role") != "candidate"))
        return chosen.collect()


def tier() -> pl.Expr:
    """Returns the tier of a record's workload."""
    tiers = {name: card.tier for name, card in cards().items()}
    return pl.col("workload_id").replace_strict(tiers, default=OTHER_TIER, return_dtype=pl.String)


def family() -> pl.Expr:
    """Returns the family of a record's workload."""
    return pl.col("family").fill_null("unknown")


def model() -> pl.Expr:
    """Returns the model that wrote a record's candidate."""
    return pl.col("model").fill_null(NO_MODEL)


def budget() -> pl.Expr:
    """Returns the budget of a record's method."""
    return pl.format("{} samples", "budget_samples").fill_null(NO_LIMIT)


@st.cache_resource(max_entries=8, show_spinner=False)
def _facets(key: str, _frame: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, list[str]]]:
    """Returns which values of what may not be mixed occur together, and the values of the other filters."""
    together = _frame.select(
        *(pl.col(column).cast(pl.String).alias(name) for name, column in _SINGLE.items()), "clock", "predictor"
    ).unique()
    candidates = _frame.lazy().filter(pl.col("role") == "candidate")
    lists = {
        "tier": _values(_frame.lazy(), tier()),
        "family": _values(_frame.lazy(), family()),
        "model": _values(candidates, model()),
        "budget": _values(candidates, budget()),
    }
    return together, lists


def _values(frame: pl.LazyFrame, column: pl.Expr) -> list[str]:
    return frame.select(column.unique().sort()).collect().to_series().to_list()


def sidebar(results: Results) -> Filters:
    """Shows the filters and returns what is chosen."""
    together, lists = _facets(results.key, results.frame)
    chosen: dict[str, str | None] = {}
    with st.sidebar:
        for name in _SINGLE:
            values = _options(together, name)
            chosen[name] = _one(name, values)
            together = _with(together, name, chosen[name])
        for name, label in (("clock", "Clock"), ("predictor", "Predictor")):
            values = together[name].drop_nulls().unique().sort().to_list()
            chosen[name] = st.selectbox(label, values, key=name, bind="query-params") if len(values) > 1 else None
        baseline = st.selectbox("Speedup over", ["xla", "expert"], key="baseline", bind="query-params")
        several = {
            name: tuple(_many(label, lists[name], name))
            for name, label in (("tier", "Tier"), ("family", "Family"), ("model", "Model"), ("budget", "Budget"))
        }
    return Filters(
        kind=chosen["kind"],
        target=chosen["target"],
        release=chosen["release"],
        source=chosen["source"],
        clock=chosen["clock"],
        predictor=chosen["predictor"],
        baseline=baseline,
        tiers=several["tier"],
        families=several["family"],
        models=several["model"],
        budgets=several["budget"],
    )


def _options(together: pl.DataFrame, name: str) -> list[str]:
    """Returns the values of one filter that go with those chosen before it.

    The first is what the page begins with: one that has times, and the preferred or newest of these.
    """
    timed = _named(together.filter(pl.col("kind").is_not_null()), name)
    values = sorted(_named(together, name), reverse=name == "release")
    return sorted(values, key=lambda value: (value not in timed, value == NONE, value not in _FIRST.get(name, ())))


def _named(together: pl.DataFrame, name: str) -> set[str]:
    values = together[name].drop_nulls().to_list()
    return {*values, NONE} if name == "release" and together[name].null_count() else set(values)


def _with(together: pl.DataFrame, name: str, value: str | None) -> pl.DataFrame:
    if value is None:
        return together
    column = pl.col(name)
    if name == "kind":
        return together.filter((column == value) | column.is_null())
    return together.filter(column.is_null() if value == NONE else column == value)


def _one(name: str, values: Sequence[str]) -> str | None:
    label, help_ = _LABELS[name]
    if not values:
        return None
    return st.selectbox(label, values, key=name, bind="query-params", help=help_, filter_mode=None)


def _many(label: str, values: Sequence[str], name: str) -> list[str]:
    return st.multiselect(label, values, key=name, bind="query-params", placeholder="all")
