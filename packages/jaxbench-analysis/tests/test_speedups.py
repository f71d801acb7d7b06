"""Speedups, summaries and ranking, against computation by hand and by scipy."""

import math

import numpy as np
import polars as pl
import pytest
from scipy import stats
from synthetic_records import measured, predicted, record

from jaxbench_analysis import AnalysisError, fast_p, frame_of, per_family, rank_speedups, ranking, speedups, summaries
from jaxbench_analysis.speedups import Speedups
from jaxbench_harness.records import FailureCode, FlagCode, Method, Owner, Stage

TUNER = Method(name="tuner")
FAILED = (Stage.CHECK, FailureCode.ELEMENT_ERROR)


def rows(records, **options):
    """Returns the table of speedups by entrant and workload."""
    table = speedups(frame_of(records), **options).table
    return {(row["entrant"], row["workload_id"]): row for row in table.iter_rows(named=True)}


def summary(records, entrant="tuner"):
    return summaries(speedups(frame_of(records))).row(by_predicate=pl.col("entrant") == entrant, named=True)


def xla(workload="8p_GEMM", *samples, name="xla"):
    return record(f"{name}-{workload}", workload=workload, entrant="xla", timing=measured(*samples or (100.0,)))


def tuned(name, *samples, workload="8p_GEMM", candidate=0, **more):
    timing = measured(*samples) if samples else None
    return record(name, workload=workload, candidate=candidate, method=TUNER, timing=timing, **more)


def test_speedup_bound_and_gap():
    expert = record("expert", entrant="expert", timing=measured(50.0))
    table = rows([xla(), expert, tuned("t", 80.0, bound_ns=(20.0, 8.0))])
    row = table["tuner", "8p_GEMM"]
    assert (row["speedup"], row["gap_recovered"]) == (1.25, pytest.approx(0.4))
    assert table["expert", "8p_GEMM"]["gap_recovered"] == 1.0
    assert table["xla", "8p_GEMM"]["speedup"] == 1.0


def test_bound_fraction_is_the_larger_bound_over_the_time():
    assert rows([tuned("t", 80.0, bound_ns=(20.0, 8.0))])["tuner", "8p_GEMM"]["bound_fraction"] == 0.25


def test_gap_is_unbounded_and_absent_where_the_expert_is_slower():
    expert = record("expert", entrant="expert", timing=measured(50.0))
    assert rows([xla(), expert, tuned("t", 25.0)])["tuner", "8p_GEMM"]["gap_recovered"] == 1.5
    assert rows([xla(), expert, tuned("t", 125.0)])["tuner", "8p_GEMM"]["gap_recovered"] == -0.5
    slower = record("expert", entrant="expert", timing=measured(150.0))
    assert rows([xla(), slower, tuned("t", 25.0)])["tuner", "8p_GEMM"]["gap_recovered"] is None


def test_the_fastest_candidate_counts_and_its_repeats_are_pooled_by_their_median():
    again = [tuned(f"a{number}", value) for number, value in enumerate((70.0, 90.0, 80.0))]
    table = rows([xla(), *again, tuned("b", 85.0, candidate=1)])
    assert table["tuner", "8p_GEMM"]["time_ns"] == 80.0
    assert table["tuner", "8p_GEMM"]["candidates"] == 2


@pytest.mark.parametrize(
    ("records", "state"),
    [
        ([tuned("f", failed=FAILED)], "failed"),
        ([tuned("f", 1.0, flags=[FlagCode.BELOW_BOUND])], "flagged"),
        ([tuned("f", failed=FAILED, owner=Owner.INFRASTRUCTURE)], "not_judged"),
        ([tuned("f", 80.0), tuned("g", failed=FAILED)], "failed"),
    ],
    ids=["failed", "flagged", "infrastructure", "passed and failed"],
)
def test_a_failed_candidate_has_no_speedup(records, state):
    row = rows([xla(), *records])["tuner", "8p_GEMM"]
    assert (row["state"], row["speedup"], row["time_ns"]) == (state, None, None)
    summed = summary([xla(), *records])
    assert (summed[state], summed["compared"]) == (1, 0)
    assert (summed["geomean_solved"], summed["geomean_all_missing_as_1"]) == (None, None)


def test_infrastructure_failures_are_not_scored_against_a_candidate():
    row = rows([xla(), tuned("a", 80.0), tuned("b", failed=FAILED, owner=Owner.INFRASTRUCTURE)])["tuner", "8p_GEMM"]
    assert (row["state"], row["speedup"]) == ("solved", 1.25)


def test_without_a_baseline_there_is_a_time_and_no_speedup():
    row = rows([tuned("t", 80.0)])["tuner", "8p_GEMM"]
    assert (row["state"], row["time_ns"], row["speedup"]) == ("solved", 80.0, None)
    flagged = record("x", entrant="xla", timing=measured(100.0), flags=[FlagCode.DOES_NOT_FIT_HBM])
    assert rows([flagged, tuned("t", 80.0)])["tuner", "8p_GEMM"]["speedup"] is None


def test_interval_of_a_speedup_is_that_of_scipy():
    rng = np.random.default_rng(0)
    slow, fast = 100 + rng.gamma(2, size=30), 60 + rng.gamma(3, size=25)
    row = rows([xla("8p_GEMM", *slow), tuned("t", *fast)], draws=20_000)["tuner", "8p_GEMM"]
    expected = stats.bootstrap(
        (slow, fast),
        lambda a, b, axis: np.median(a, axis=axis) / np.median(b, axis=axis),
        n_resamples=20_000,
        method="percentile",
        rng=rng,
    ).confidence_interval
    assert (row["speedup_low"], row["speedup_high"]) == pytest.approx((expected.low, expected.high), rel=2e-3)
    assert row["interval"] == "samples"


def test_intervals_need_evidence():
    one = rows([xla(), tuned("t", 80.0)])["tuner", "8p_GEMM"]
    assert (one["speedup_low"], one["interval"]) == (None, None)
    still = rows([xla("8p_GEMM", 100.0, 100.0), tuned("t", 80.0, 80.0, 80.0)])["tuner", "8p_GEMM"]
    assert (still["speedup_low"], still["speedup_high"]) == (1.25, 1.25)


def test_predicted_speedups_carry_the_error_of_both_predictions():
    base = record("x", entrant="xla", timing=predicted(100.0, 1.25))
    row = rows([base, record("t", method=TUNER, timing=predicted(50.0, 1.25))], draws=50_000)["tuner", "8p_GEMM"]
    scale = math.sqrt(2) * math.log(1.25) / stats.norm.ppf(0.9)
    expected = [2 * math.exp(stats.norm.ppf(level) * scale) for level in (0.025, 0.975)]
    assert (row["speedup_low"], row["speedup_high"]) == pytest.approx(expected, rel=0.02)
    assert row["interval"] == "prediction"


def three_workloads():
    """Speedups 2 and 0.5 on two workloads, one that failed, one that was not tried."""
    names = ("1p_Flash_Attention", "8p_GEMM", "12p_RMSNorm", "30k_Matmul_Scaling_ResidualAdd")
    times = (50.0, 200.0)
    tries = [tuned(f"t{name}", time, workload=name) for name, time in zip(names, times, strict=False)]
    return [*map(xla, names), *tries, tuned("f", workload=names[2], failed=FAILED)]


def test_means_over_solved_and_over_all_workloads():
    rng = np.random.default_rng(5)
    names = [f"{number}p" for number in range(6)]
    times = rng.uniform(30, 300, 4)
    tries = [tuned(name, time, workload=name) for name, time in zip(names, times, strict=False)]
    row = summary([*map(xla, names), *tries])
    ratios = 100 / times
    assert row["geomean_solved"] == pytest.approx(stats.gmean(ratios))
    assert row["geomean_all_missing_as_1"] == pytest.approx(stats.gmean([*ratios, 1, 1]))
    assert (row["workloads"], row["solved"], row["not_tried"], row["compared"]) == (6, 4, 2, 4)


def test_slowdowns_are_not_clipped_and_the_unsolved_are_counted():
    row = summary(three_workloads())
    assert row["geomean_solved"] == pytest.approx(1.0)
    assert (row["solved"], row["failed"], row["not_tried"]) == (2, 1, 1)
    slow = summary([xla(), tuned("t", 400.0)])
    assert slow["geomean_solved"] == slow["geomean_all_missing_as_1"] == pytest.approx(0.25)


def test_interval_over_workloads_is_that_of_scipy():
    rng = np.random.default_rng(7)
    names = [f"{number}p" for number in range(20)]
    times = rng.uniform(30, 300, 20)
    tries = [tuned(name, time, workload=name) for name, time in zip(names, times, strict=True)]
    row = summaries(speedups(frame_of([*map(xla, names), *tries]), draws=20_000)).row(0, named=True)
    expected = stats.bootstrap((100 / times,), stats.gmean, n_resamples=20_000, method="percentile", rng=rng)
    ends = (row["geomean_solved_suite_low"], row["geomean_solved_suite_high"])
    assert ends == pytest.approx(tuple(expected.confidence_interval), rel=0.02)
    assert row["geomean_solved_low"] is None


def test_interval_from_noise_is_that_of_the_product():
    rng = np.random.default_rng(3)
    names = [f"{number}p" for number in range(3)]
    slow, fast = (base + rng.gamma(2, size=(3, 21)) for base in (100, 60))
    records = [xla(name, *samples) for name, samples in zip(names, slow, strict=True)]
    records += [tuned(name, *samples, workload=name) for name, samples in zip(names, fast, strict=True)]
    compared = speedups(frame_of(records), draws=20_000)
    row = summaries(compared).row(by_predicate=pl.col("entrant") == "tuner", named=True)
    drawn = [[np.median(rng.choice(one, (20_000, 21)), axis=1) for one in side] for side in (slow, fast)]
    ratio = np.exp(np.mean(np.log(drawn[0]) - np.log(drawn[1]), axis=0))
    ends = (row["geomean_solved_low"], row["geomean_solved_high"])
    assert ends == pytest.approx(tuple(np.quantile(ratio, [0.025, 0.975])), rel=2e-3)


def test_fast_p_counts_every_workload():
    compared = speedups(frame_of(three_workloads()))
    found = fast_p(compared, [0.25, 0.5, 1.0, 1.999, 2.0]).filter(entrant="tuner")["fast_p"].to_list()
    assert found == [0.5, 0.25, 0.25, 0.25, 0.0]


def test_means_by_family():
    names = ("1p_Flash_Attention", "2p_GQA_Attention")
    records = [xla(names[0]), xla(names[1]), tuned("a", 50.0, workload=names[0]), tuned("b", 200.0, workload=names[1])]
    means = per_family(speedups(frame_of(records))).filter(entrant="tuner")
    assert means.rows() == [("tuner", "matmul", 2, pytest.approx(1.0))]


def test_scope_can_be_named_and_must_exist():
    row = summaries(speedups(frame_of(three_workloads()), workloads=["8p_GEMM"])).row(0, named=True)
    assert (row["workloads"], row["geomean_all_missing_as_1"]) == (1, 0.5)
    with pytest.raises(AnalysisError, match="no record of 99p; there are 1p_Flash_Attention"):
        speedups(frame_of(three_workloads()), workloads=["99p"])


def test_workloads_come_in_benchmark_order(measured):
    names = speedups(measured).table.filter(entrant="xla")["workload_id"].to_list()
    assert names == sorted(names, key=lambda name: int("".join(filter(str.isdigit, name.split("_")[0]))))
    assert len(names) == 50


def compared_with(intervals):
    """Speedups of entrants on one workload, with draws that give these intervals."""
    names = list(intervals)
    middle = [math.sqrt(low * high) for low, high in intervals.values()]
    table = pl.DataFrame(
        {
            "entrant": names,
            "workload_id": ["8p_GEMM"] * len(names),
            "state": ["solved"] * len(names),
            "speedup": middle,
            "bound_fraction": [None] * len(names),
            "gap_recovered": [None] * len(names),
        },
        schema_overrides={"bound_fraction": pl.Float64, "gap_recovered": pl.Float64},
    )
    draws = np.array([[low, low, low, high, high, high] for low, high in intervals.values()])
    return Speedups("xla", table, draws)


@pytest.mark.parametrize(
    ("intervals", "expected"),
    [
        ({"a": (3, 4), "b": (1, 2)}, {"a": (1, False), "b": (2, False)}),
        ({"a": (2, 4), "b": (1, 3)}, {"a": (1, True), "b": (1, True)}),
        ({"a": (5, 6), "b": (2, 4), "c": (1, 3)}, {"a": (1, False), "b": (2, True), "c": (2, True)}),
        # b overlaps both of its neighbours, which do not overlap each other.
        ({"a": (4, 6), "b": (2, 5), "c": (1, 3)}, {"a": (1, True), "b": (1, True), "c": (2, False)}),
    ],
)
def test_ranks_follow_from_intervals(intervals, expected):
    ranked = rank_speedups(compared_with(intervals))
    assert {row["entrant"]: (row["rank"], row["tied"]) for row in ranked.iter_rows(named=True)} == expected


def test_ranking_is_by_the_stated_formula(measured):
    ranked = ranking(measured)
    table = speedups(measured).table
    for row in ranked.iter_rows(named=True):
        logs = [math.log(one) for one in table.filter(entrant=row["entrant"])["speedup"].drop_nulls()]
        assert row["score"] == pytest.approx(math.exp(sum(logs) / 50))
        above = sum(other["low"] > row["high"] for other in ranked.iter_rows(named=True))
        assert row["rank"] == 1 + above
    assert ranked["rank"].is_sorted()


def test_who_solves_nothing_has_no_rank_and_comes_last():
    ranked = ranking(frame_of([xla(), tuned("t", failed=FAILED)]))
    assert ranked.select("entrant", "rank", "score", "tied").rows() == [
        ("xla", 1, 1.0, False),
        ("tuner", None, None, False),
    ]


def test_equal_scores_without_intervals_share_a_rank():
    other = record("o", method=Method(name="other"), candidate=1, timing=measured(80.0))
    ranked = ranking(frame_of([xla(), tuned("t", 80.0), other]))
    assert ranked.select("entrant", "rank", "tied").rows() == [
        ("other", 1, True),
        ("tuner", 1, True),
        ("xla", 3, False),
    ]


def test_the_same_records_give_the_same_ranking(measured):
    assert ranking(measured).equals(ranking(measured.sample(fraction=1.0, shuffle=True, seed=1)))


def test_repeated_predictions_are_no_more_certain_than_one():
    once, often = (
        [record(f"{number}", entrant="xla", timing=predicted(100.0, 1.25)) for number in range(repeats)]
        for repeats in (1, 9)
    )
    tables = [rows(records, draws=50_000)["xla", "8p_GEMM"] for records in (once, often)]
    assert tables[0]["low_ns"] == pytest.approx(tables[1]["low_ns"], rel=0.01)
    assert tables[0]["high_ns"] == pytest.approx(tables[1]["high_ns"], rel=0.01)


def test_many_evaluations_are_resampled_as_wholes():
    rng = np.random.default_rng(1)
    medians = (100 + rng.gamma(2, size=15)).tolist()
    row = rows([xla("8p_GEMM", one, one, one, name=f"x{one}") for one in medians], draws=40_000)["xla", "8p_GEMM"]
    expected = stats.bootstrap((medians,), np.median, n_resamples=40_000, method="percentile", rng=rng)
    assert (row["low_ns"], row["high_ns"]) == pytest.approx(tuple(expected.confidence_interval), rel=2e-3)
