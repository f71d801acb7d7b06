"""What the leaderboard reads: joined frames, whole records, bounds; each against the parts or by hand."""

import numpy as np
import polars as pl
import pytest
from synthetic_records import measured as timed
from synthetic_records import predicted as predicted_time
from synthetic_records import record

from jaxbench_analysis import (
    BOUND_SCHEMA,
    AnalysisError,
    against,
    compact,
    compare,
    correctness,
    figures,
    frame_of,
    headway,
    load_results,
    merged,
    published_records,
    rank_speedups,
    read_documents,
    sample_deviations,
    sample_summary,
    speedups,
    standings,
    summaries,
    with_bounds,
)
from jaxbench_analysis.comparing import OUTCOME
from jaxbench_analysis.standings import _COUNTED
from jaxbench_harness.records import Method

METHODS = ["evolution (another-model, 6 samples)", "sampling (a-model, 6 samples)"]


def written(folder, name, *records):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("".join(one.model_dump_json() + "\n" for one in records))
    return folder


def test_merged_results_count_what_was_left_out_once(tmp_path):
    first = written(tmp_path / "a", "a.jsonl", record("1"), record("2"), record("2"))
    second = written(tmp_path / "b", "b.jsonl", record("2"), record("3"))
    with (second / "b.jsonl").open("a") as stream:
        stream.write("{}\n")
    both = merged([load_results(first), load_results(second), load_results("published")])
    assert both.frame.filter(source="evaluation").collect()["evaluation_id"].to_list() == ["1", "2", "3"]
    assert (both.report.files, both.report.records, both.report.duplicates) == (3, 61, 2)
    assert [problem.line for problem in both.report.problems] == [3]
    assert merged([]).frame.collect().is_empty()


@pytest.mark.parametrize("compacted", [False, True])
def test_documents_are_the_lines_that_were_written(tmp_path, compacted):
    tricky = record('a "quoted" \\ id', candidate='"evaluation_id": "2"')
    folder = written(tmp_path / "lines", "a.jsonl", record("1"), tricky, record("2"))
    place = tmp_path / "parts"
    if compacted:
        compact(folder, place)
    else:
        place = folder
    wanted = [tricky.evaluation_id, "2", "nowhere"]
    found = read_documents(["published", place], wanted)
    assert set(found) == set(wanted) - {"nowhere"}
    assert found["2"]["compile"]["kernels"][0]["vmem_bytes"] == 65536
    assert found[tricky.evaluation_id]["candidate"]["digest"] == tricky.candidate.digest


def test_standings_are_ranking_summaries_and_correctness_joined(measured):
    compared = speedups(measured)
    rows = standings(measured, compared)
    ranked = rank_speedups(compared)
    assert rows.select(ranked.columns).equals(ranked)
    parts = {row["entrant"]: row for row in summaries(compared).iter_rows(named=True)}
    shares = {row["entrant"]: row for row in correctness(measured.filter(role="candidate")).iter_rows(named=True)}
    for row in rows.iter_rows(named=True):
        assert row["failed"] == parts[row["entrant"]]["failed"]
        assert row["median_gap_recovered"] == parts[row["entrant"]]["median_gap_recovered"]
        assert row["correct_share"] == shares.get(row["entrant"], {}).get("share")


def test_wins_are_the_outcomes_of_comparing(measured):
    (row,) = against(measured, METHODS[0], METHODS[1:]).iter_rows(named=True)
    own, other = (measured.filter(entrant=name) for name in METHODS)
    outcomes = compare(other, own)["outcome"].cast(pl.String).to_list()
    assert (row["wins"], row["losses"], row["only_own"]) == tuple(map(outcomes.count, ("better", "worse", "only B")))
    assert sum(row[name] for name in _COUNTED.values()) == 50
    assert row["win_low"] < row["win_share"] < row["win_high"]
    assert set(_COUNTED) == set(OUTCOME.categories)
    with pytest.raises(AnalysisError, match="no record of nobody"):
        against(measured, "nobody", METHODS)


def test_headway_names_the_fastest_method():
    frame = frame_of(
        [
            record("x", entrant="xla", timing=timed(1000.0, 1000.0)),
            record("a", candidate="a", timing=timed(800.0, 900.0)),
            record("p", workload="9p", entrant="xla", timing=timed(500.0, 500.0)),
        ]
    )
    first, second = headway(speedups(frame).table).rows(named=True)
    assert first == {
        "workload_id": "8p_GEMM",
        "bound_ns": 400.0,
        "xla_ns": 1000.0,
        "expert_ns": None,
        "best_ns": 850.0,
        "best_method": "unattributed",
        "reached": pytest.approx(400 / 850),
    }
    assert (second["best_ns"], second["best_method"], second["reached"]) == (None, None, 0.8)


def test_bounds_are_filled_only_where_none_is_stated_and_times_compare():
    bounds = pl.DataFrame([("v6e", "8p_GEMM", 1, 2, 3.0, 4.0)], schema=BOUND_SCHEMA, orient="row")
    known = frame_of([record("own", timing=predicted_time(900.0))]).lazy()
    filled = with_bounds(pl.concat([known, published_records()]), bounds).collect()
    assert filled.filter(source="evaluation")["bound_ns"].to_list() == [400.0]
    published = filled.filter(source="published")
    assert published.filter(workload_id="8p_GEMM")["bound_ns"].to_list() == [4.0, 4.0]
    assert published.filter(pl.col("workload_id") != "8p_GEMM")["bound_ns"].null_count() == 56
    other = bounds.with_columns(workload_id=pl.lit("4p_Sparse_Attention"))
    incomparable = with_bounds(published_records(), other).collect().filter(pl.col("bound_ns").is_not_null())
    assert incomparable["comparable"].all()


def test_samples_are_summarised_as_numpy_does(measured):
    deviations = sample_deviations(measured.filter(workload_id="8p_GEMM"))
    for row in sample_summary(deviations).iter_rows(named=True):
        times = deviations.filter(entrant=row["entrant"])["sample_ns"].to_numpy()
        expected = [len(times), times.min(), np.median(times), np.quantile(times, 0.9), times.max()]
        assert [row[name] for name in ("calls", "least_ns", "median_ns", "p90_ns", "most_ns")] == pytest.approx(
            expected
        )


def test_headroom_keeps_the_order_of_its_workloads_whoever_tried_them():
    """The first entrant by name has tried the last workload only."""
    names = ["1p_Flash_Attention", "8p_GEMM"]
    made = [record(name, workload=name, entrant="xla", timing=predicted_time(1000.0)) for name in names]
    late = record("late", workload=names[1], method=Method(name="a"), timing=predicted_time(900.0))
    table = speedups(frame_of([*made, late])).table
    assert table["entrant"][0] == "a"
    layers = figures.headroom(table).to_dict()["layer"]
    assert [layer["encoding"]["y"]["sort"] for layer in layers] == [names] * 3
