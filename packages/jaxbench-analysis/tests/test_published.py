"""The published times, and what can be computed from them alone."""

import math

import polars as pl
import pytest

from jaxbench_analysis import load_results, published_records, published_spread, ranking, speedups, summaries
from jaxbench_analysis.columns import SCHEMA

# In milliseconds, as published: XLA, expert.
EIGHT = {
    "1p_Flash_Attention": (22.9762, 6.5106),
    "2p_GQA_Attention": (50.3364, 15.2735),
    "3p_MLA_Attention": (19.8843, 20.6213),
    "4p_Sparse_Attention": (5.6623, 6.949),
    "6p_Paged_Attention": (7.7828, 3.1142),
    "7p_Ragged_Paged_Attention": (48.4853, 2.9829),
    "8p_GEMM": (5.3218, 5.4052),
    "11p_Megablox_GMM": (3.0404, 1.9168),
}


def test_fifty_baselines_and_eight_experts_load_as_measured_records():
    frame = load_results("published").frame.collect()
    assert frame.schema == SCHEMA
    assert frame.group_by("role").len().sort("role").rows() == [("xla", 50), ("expert", 8)]
    assert frame.select("timing_kind", "source", "target", "clock").unique().rows() == [
        ("measured", "published", "v6e", "device_profiler")
    ]
    for workload, (xla, expert) in EIGHT.items():
        times = frame.filter(workload_id=workload).sort("role")["time_ns"].to_list()
        assert times == pytest.approx([xla * 1e6, expert * 1e6])


def test_what_was_timed_differently_says_so_and_can_be_left_out():
    frame = published_records().collect()
    other = frame.filter(~pl.col("comparable"))
    assert other["caveat"].null_count() == 0
    assert other.filter(role="xla")["workload_id"].to_list() == [
        "3p_MLA_Attention",
        "4p_Sparse_Attention",
        "7p_Ragged_Paged_Attention",
        "11p_Megablox_GMM",
        "42k_Gemm_Max_Subtract_GELU",
    ]
    assert published_records(comparable_only=True).collect().height == 58 - other.height


def test_geometric_mean_of_the_experts_over_xla():
    expert = summaries(speedups(published_records())).row(by_predicate=pl.col("entrant") == "expert", named=True)
    logs = [math.log(xla / kernel) for xla, kernel in EIGHT.values()]
    assert expert["geomean_solved"] == pytest.approx(math.exp(sum(logs) / 8), rel=1e-6)
    assert expert["geomean_solved"] == pytest.approx(2.215, abs=5e-4)
    assert expert["geomean_all_missing_as_1"] == pytest.approx(math.exp(sum(logs) / 50), rel=1e-6)
    assert (expert["geomean_solved_low"], expert["not_tried"]) == (None, 42)


def test_pairs_of_comparable_times_are_fewer():
    table = speedups(published_records(comparable_only=True)).table.filter(entrant="expert").drop_nulls("speedup")
    assert table["workload_id"].to_list() == ["1p_Flash_Attention", "8p_GEMM"]
    assert table["speedup"].log().mean() == pytest.approx(math.log(1.864), abs=1e-3)


def test_published_ranking_has_no_intervals():
    ranked = ranking(published_records())
    assert ranked["entrant"].to_list() == ["expert", "xla"]
    assert ranked["low"].null_count() == 2


def test_medians_lie_near_their_means():
    spread = published_spread()
    assert spread.height == 58
    off = (spread["median_ns"] / spread["mean_ns"] - 1).abs()
    assert off.max() < 0.12
    assert (spread["min_ns"] <= spread["median_ns"]).all()
