"""Sampling statistics, against enumeration and loops."""

import itertools
import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from synthetic_records import measured, record

from jaxbench_analysis import AnalysisError, best_so_far, correctness, failure_counts, frame_of, solved_at, waterfall
from jaxbench_harness.records import FailureCode, FlagCode, Method, Owner, Stage

FAILED = (Stage.CHECK, FailureCode.ELEMENT_ERROR)


def samples(fates, workload="8p_GEMM", costs=None, **more):
    """Records of one method: a fate is a time, None for failed, or an infrastructure failure."""
    made = []
    for number, fate in enumerate(fates):
        broken = fate == "infrastructure"
        method = Method(name="sampling", sample=number, cost_usd=costs[number] if costs else None)
        made.append(
            record(
                f"{workload}-{number}-{more.get('run_id', '')}",
                workload=workload,
                candidate=number,
                method=method,
                timing=measured(fate) if isinstance(fate, float) else None,
                failed=None if isinstance(fate, float) else FAILED,
                owner=Owner.INFRASTRUCTURE if broken else Owner.CANDIDATE,
                number=number,
                **more,
            )
        )
    return made


def one_row(frame):
    (row,) = frame.filter(pl.col("entrant") == "sampling").iter_rows(named=True)
    return row


@given(fates=st.lists(st.booleans(), min_size=1, max_size=7), count=st.integers(1, 7))
def test_solved_at_is_the_share_of_subsets_that_hold_a_correct_sample(fates, count):
    frame = frame_of(samples([1.0 if fate else None for fate in fates]))
    row = one_row(solved_at(frame, [count]))
    if count > len(fates):
        assert (row["solved_at"], row["workloads"], row["short"]) == (None, 0, 1)
        return
    subsets = list(itertools.combinations(fates, count))
    assert row["solved_at"] == pytest.approx(sum(map(any, subsets)) / len(subsets))


def test_solved_at_is_the_mean_over_workloads_with_enough_samples():
    few, many = samples([1.0], "1p"), samples([1.0, None, None, None], "2p")
    frame = frame_of([*few, *many])
    assert one_row(solved_at(frame, [1]))["solved_at"] == pytest.approx((1 + 1 / 4) / 2)
    row = one_row(solved_at(frame, [2]))
    assert (row["solved_at"], row["workloads"], row["short"]) == (pytest.approx(1 / 2), 1, 1)
    with pytest.raises(AnalysisError, match="solved@0"):
        solved_at(frame, [0])


def test_correctness_leaves_out_the_infrastructure_and_what_is_held_for_review():
    held = record(
        "held",
        candidate="h",
        method=Method(name="sampling", sample=9),
        timing=measured(1.0),
        flags=[FlagCode.NO_PALLAS],
    )
    row = one_row(correctness(frame_of([*samples([1.0, None, None, "infrastructure", 2.0]), held])))
    assert (row["samples"], row["correct"], row["share"]) == (5, 2, 0.4)
    expected = stats.binomtest(2, 5).proportion_ci(method="wilson")
    assert (row["low"], row["high"]) == pytest.approx((expected.low, expected.high))


def test_a_sample_that_was_evaluated_again_counts_once():
    again = [*samples([1.0, None], run_id="a"), *samples([1.0, None], run_id="b")]
    assert one_row(correctness(frame_of(again)))["samples"] == 2
    assert waterfall(frame_of(again))["samples"].to_list()[0] == 2
    assert failure_counts(frame_of(again))["count"].to_list() == [1]


def test_correctness_by_workload():
    frame = frame_of([*samples([1.0, None], "1p"), *samples([None], "2p")])
    by = correctness(frame, by=["entrant", "workload_id"])
    assert by.select("workload_id", "samples", "correct").rows() == [("1p", 2, 1), ("2p", 1, 0)]


def xla(workload):
    return record(f"xla-{workload}", workload=workload, entrant="xla", timing=measured(100.0))


def test_best_so_far_by_samples_is_that_of_a_loop(measured):
    grown = best_so_far(measured)
    name = grown["entrant"][0]
    base = dict(measured.filter(role="xla").select("workload_id", "time_ns").iter_rows())
    mine = measured.filter(pl.col("entrant") == name).sort("workload_id", "sample")
    for row in grown.filter(pl.col("entrant") == name).iter_rows(named=True):
        logs, solved = [], 0
        for (workload,), part in mine.group_by("workload_id"):
            first = part.head(int(row["x"])).filter((pl.col("outcome") == "passed") & (pl.col("flags").list.len() == 0))
            solved += bool(first.height)
            if first.height:
                logs.append(math.log(base[workload] / first["time_ns"].min()))
        assert row["solved"] == pytest.approx(solved / 50)
        assert row["geomean_missing_as_1"] == pytest.approx(math.exp(sum(logs) / 50))
    assert grown.filter(pl.col("entrant") == name)["x"].to_list() == [1, 2, 3, 4, 5, 6]


def test_best_so_far_by_cost():
    frame = frame_of(
        [
            *map(xla, ("1p", "2p")),
            *samples([None, 50.0, 80.0], "1p", costs=[1.0, 1.0, 1.0]),
            *samples([200.0, 25.0], "2p", costs=[0.5, 2.0]),
        ]
    )
    grown = best_so_far(frame, by="cost").select("x", "solved", "geomean_missing_as_1").rows()
    expected = [(0.5, 0.5, 0.5**0.5), (1.0, 0.5, 0.5**0.5), (2.0, 1.0, 1.0), (2.5, 1.0, 8**0.5), (3.0, 1.0, 8**0.5)]
    assert grown == [pytest.approx(row) for row in expected]


def test_unknown_cost_leaves_the_entrant_out_and_untimed_passes_count_as_solved():
    frame = frame_of([xla("1p"), *samples([50.0], "1p")])
    assert best_so_far(frame, by="cost").height == 0
    untimed = record("u", workload="1p", method=Method(name="sampling", sample=0))
    row = one_row(best_so_far(frame_of([xla("1p"), untimed])))
    assert (row["solved"], row["geomean_missing_as_1"]) == (1.0, 1.0)


def test_failures_are_counted_by_stage_owner_and_code():
    frame = frame_of(
        [
            *samples([1.0, None, None, "infrastructure"]),
            record("s", candidate="s", method=Method(name="sampling"), failed=(Stage.LOAD, FailureCode.SYNTAX)),
        ]
    )
    found = failure_counts(frame).select("stage", "owner", "code", "count", "share").rows()
    assert found == [
        ("load", "candidate", "syntax", 1, 0.2),
        ("check", "candidate", "element_error", 2, 0.4),
        ("check", "infrastructure", "element_error", 1, 0.2),
    ]


def test_waterfall_goes_from_all_to_those_that_nothing_holds_back():
    fates = [
        *samples([1.0, 2.0, None, "infrastructure"]),
        record("l", candidate="l", method=Method(name="sampling"), failed=(Stage.LOAD, FailureCode.SYNTAX)),
        record("c", candidate="c", method=Method(name="sampling"), failed=(Stage.COMPILE, FailureCode.UNSUPPORTED)),
        record("f", candidate="f", method=Method(name="sampling"), flags=[FlagCode.NO_PALLAS]),
    ]
    steps = waterfall(frame_of(fates))
    assert steps.select("step", "left", "lost").rows() == [
        ("judged", 6, 0),
        ("load", 5, 1),
        ("trace", 5, 0),
        ("guard", 5, 0),
        ("compile", 4, 1),
        ("check", 3, 1),
        ("time", 3, 0),
        ("unflagged", 2, 1),
    ]
