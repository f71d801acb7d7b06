"""What a report says: sections with an explanation, tables and figures."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from jaxbench_analysis import figures
from jaxbench_analysis.calibration import calibration, pairs_within
from jaxbench_analysis.comparable import comparable
from jaxbench_analysis.deviations import sample_deviations
from jaxbench_analysis.failures import failure_counts, waterfall
from jaxbench_analysis.figures.theme import Figure
from jaxbench_analysis.loading import LoadReport
from jaxbench_analysis.ranking import rank_speedups
from jaxbench_analysis.sampling import best_so_far, correctness, solved_at
from jaxbench_analysis.speedups import Speedups, speedups
from jaxbench_analysis.summaries import fast_p, per_family, summaries
from jaxbench_analysis.tables import (
    CALIBRATION,
    CORRECTNESS,
    FAILURES,
    SOLVED_AT,
    SPEEDUP,
    SUMMARY,
    Show,
    Table,
    interval,
    ranking_table,
    ratio,
    table_of,
)

_THRESHOLDS = np.geomspace(0.125, 16, 225)
_SAMPLE_COUNTS = (1, 2, 5, 10, 20, 50, 100)
_MOST_DISTRIBUTIONS = 4
"""Entrants whose raw samples are drawn, best first: more make the page heavy and are in the records."""


@dataclass(frozen=True)
class Section:
    """A part of a report."""

    title: str
    text: str
    tables: tuple[Table, ...] = ()
    figures: tuple[tuple[str, Figure], ...] = ()
    """Charts by the name of their files."""


@dataclass(frozen=True)
class Report:
    """A report on records of one kind of time, target and release."""

    title: str
    facts: tuple[tuple[str, str], ...]
    """What was read and what was selected, by name."""
    sections: tuple[Section, ...]
    frames: dict[str, pl.DataFrame] = field(default_factory=dict[str, pl.DataFrame])
    """The data behind it, by name; without columns of lists."""
    problems: tuple[str, ...] = ()
    """Lines that were left out, and why."""


def report_of(
    selected: pl.LazyFrame, every: pl.LazyFrame, read: LoadReport, *, name: str, baseline: str = "xla"
) -> Report:
    """Returns the report on records.

    Args:
        selected: The records to report on.
        every: The same of whatever kind: predicted times are calibrated against measured ones among them, or, where
            there are none, against the published ones.
        read: What became of the lines that were read.
        name: Name of the results.
        baseline: Entrant that all are compared with.

    Raises:
        MixedRecordsError: If `selected` or `every` mixes what may not stand in one aggregate.
    """
    records = comparable(selected).collect().lazy()
    compared = speedups(records, baseline=baseline)
    pairs = pairs_within(every)
    ranked = rank_speedups(compared)
    sections = [
        _ranking_section(ranked, compared),
        _workload_section(compared, ranked),
        *_sampling_sections(records, baseline),
        _failure_section(records),
        *_calibration_sections(pairs),
        *_noise_sections(records, ranked),
    ]
    frames = {
        "ranking": ranked,
        "summaries": summaries(compared),
        "speedups": compared.table,
        "failures": failure_counts(records),
        "calibration_pairs": pairs,
    }
    return Report(
        title=f"JAXBench: {name}",
        facts=tuple(_facts(records, read)),
        sections=tuple(sections),
        frames=frames,
        problems=tuple(map(str, read.problems)),
    )


def _facts(records: pl.LazyFrame, read: LoadReport) -> Iterator[tuple[str, str]]:
    yield "files", f"{read.files}"
    yield "records", f"{read.records:,}; {read.duplicates:,} duplicates and {len(read.problems):,} bad lines left out"
    columns = ("source", "timing_kind", "clock", "predictor", "target", "release")
    values = records.select(pl.col(column).drop_nulls().unique().implode() for column in columns).collect()
    yield "selected", f"{records.select(pl.len()).collect().item():,}"
    for column in columns:
        yield column.replace("_", " "), ", ".join(map(str, values[column].item().to_list())) or "none"


def _ranking_section(ranked: pl.DataFrame, compared: Speedups) -> Section:
    summary = summaries(compared).with_columns(
        solved_suite=interval("geomean_solved_suite_low", "geomean_solved_suite_high"),
        all_suite=interval("geomean_all_missing_as_1_suite_low", "geomean_all_missing_as_1_suite_high"),
    )
    text = (
        f"The score is the geometric mean of the speedups over {compared.baseline} on all workloads; a workload "
        "without a speedup counts as 1, as if the baseline ran there. Its 95% interval is from the noise of the times, "
        "the workloads being what they are. Entrants share a rank (=) where no interval lies wholly above theirs. The "
        "intervals over workloads say how the mean would vary with other workloads of this sort."
    )
    shown = (ranking_table(ranked), table_of(summary, SUMMARY))
    curves = figures.fast_p_curves(fast_p(compared, _THRESHOLDS.tolist()), baseline=compared.baseline)
    return Section("Ranking", text, shown, (("fast_p", curves),))


def _workload_section(compared: Speedups, ranked: pl.DataFrame) -> Section:
    others = [name for name in ranked["entrant"] if name != compared.baseline]
    table = compared.table.with_columns(speedup_interval=interval("speedup_low", "speedup_high"))
    shown = table.filter((pl.col("entrant") != compared.baseline) & (pl.col("state") != "not_tried"))
    charts: list[tuple[str, Figure]] = []
    if others:
        charts.append(("speedup_map", figures.speedup_map(compared.table, baseline=compared.baseline)))
        charts.append(("speedup_bars", figures.speedup_bars(compared.table, others[0], baseline=compared.baseline)))
    if compared.table["bound_fraction"].drop_nulls().len():
        charts.append(("roofline", figures.roofline(compared.table)))
    text = (
        "The time of an entrant is that of its fastest candidate that passed and is not held for review. A failed "
        "candidate has no speedup. Bound fraction: the least time that the target allows over the time reached. Gap "
        "recovered: share of the way from the time of xla to that of expert; it can be below 0% or above 100%, and "
        "there is none where expert is not the faster."
    )
    tabled = table_of(_in_benchmark_order(shown, compared), SPEEDUP)
    means = per_family(compared).filter(pl.col("entrant") != compared.baseline)
    wide = means.pivot("entrant", index="family", values="geomean").sort("family")
    families = table_of(wide, {name: Show(name, ratio if name != "family" else None) for name in wide.columns})
    return Section("Workloads", text, (families, tabled), tuple(charts))


def _in_benchmark_order(table: pl.DataFrame, compared: Speedups) -> pl.DataFrame:
    order = {name: place for place, name in enumerate(compared.table["workload_id"].unique(maintain_order=True))}
    return table.sort(pl.col("workload_id").replace_strict(order, return_dtype=pl.Int64), "entrant")


def _sampling_sections(records: pl.LazyFrame, baseline: str) -> Iterator[Section]:
    methods = records.filter(pl.col("role") == "candidate")
    if methods.head(1).collect().is_empty():
        return
    at = solved_at(methods, _SAMPLE_COUNTS).drop_nulls("solved_at")
    growth = best_so_far(records, baseline=baseline)
    cost = best_so_far(records, by="cost", baseline=baseline)
    charts: list[tuple[str, Figure]] = [("progress", figures.progress(growth, baseline=baseline))]
    if cost.height:
        charts.append(("progress_by_cost", figures.progress(cost, by="cost", baseline=baseline)))
    text = (
        "Correct: passed and not held for review; what the infrastructure failed is no sample. solved@n estimates the "
        "share of workloads that n samples solve, without bias if samples are independent of each other."
    )
    shown = table_of(correctness(methods), CORRECTNESS), table_of(at, SOLVED_AT)
    yield Section("Samples", text, shown, tuple(charts))


def _failure_section(records: pl.LazyFrame) -> Section:
    text = "Where samples ended, and how. What the infrastructure failed counts in no rate above and in no bar."
    counts = failure_counts(records)
    shown = (table_of(counts, FAILURES),) if counts.height else ()
    return Section("Failures", text, shown, (("stages", figures.stage_waterfall(waterfall(records))),))


def _calibration_sections(pairs: pl.DataFrame) -> Iterator[Section]:
    if not pairs.height:
        return
    against = ", ".join(sorted(pairs["source"].cast(pl.String).unique()))
    text = (
        f"Predicted against measured times (source: {against}). |log ratio| is the natural logarithm of how far the "
        "prediction is off, in either direction: 0.1 is 10.5%. Rho is the rank correlation."
    )
    shown = table_of(calibration(pairs), CALIBRATION)
    yield Section("Calibration", text, (shown,), (("calibration", figures.calibration_scatter(pairs)),))


def _noise_sections(records: pl.LazyFrame, ranked: pl.DataFrame) -> Iterator[Section]:
    deviations = sample_deviations(records)
    entrants = [name for name in ranked["entrant"] if name in deviations["entrant"]][:_MOST_DISTRIBUTIONS]
    if entrants:
        text = f"Every timed call of the best {len(entrants)} entrants that have raw samples; nothing was dropped."
        yield Section("Noise of the times", text, (), tuple(_distributions(deviations, entrants)))


def _distributions(deviations: pl.DataFrame, entrants: Sequence[str]) -> Iterator[tuple[str, Figure]]:
    for place, entrant in enumerate(entrants, start=1):
        yield f"samples_{place}", figures.sample_distribution(deviations, entrant)
