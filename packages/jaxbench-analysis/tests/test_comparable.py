"""What may not stand in one aggregate is refused, and the message says what to filter."""

import polars as pl
import pytest
from synthetic_records import measured, predicted, record

from jaxbench_analysis import (
    AnalysisError,
    MixedRecordsError,
    comparable,
    compare,
    correctness,
    failure_counts,
    fast_p,
    frame_of,
    published_records,
    ranking,
    solved_at,
    speedups,
)

ONE = record("one", timing=measured(1.0, 2.0))

MIXTURES = {
    "timing_kind": (record("other", timing=predicted(1.0)), r"\(measured, predicted\).*--kind measured"),
    "clock": (record("other", timing=measured(1.0, clock="wall")), r"device_profiler, wall.*--clock device_profiler"),
    "target": (record("other", target="v5e", timing=measured(1.0)), r"\(v5e, v6e\).*--target v5e"),
    "release": (record("other", release=None, timing=measured(1.0)), r"\(2026\.1, none\).*--release 2026\.1"),
    "digest": (
        record("other", workload_digest="0" * 64, timing=measured(1.0)),
        "2 definitions of 8p_GEMM .* filter one workload_digest or one release",
    ),
}


@pytest.mark.parametrize("what", MIXTURES)
@pytest.mark.parametrize("aggregate", [ranking, speedups, lambda frame: compare(frame, frame)])
def test_mixtures_are_refused(what, aggregate):
    other, said = MIXTURES[what]
    with pytest.raises(MixedRecordsError, match=said):
        aggregate(frame_of([ONE, other]))


@pytest.mark.parametrize("aggregate", [correctness, failure_counts, lambda frame: solved_at(frame, [1])])
def test_counts_may_mix_kinds_of_time_but_nothing_else(aggregate):
    aggregate(frame_of([ONE, MIXTURES["timing_kind"][0]]))
    for what in ("target", "release", "digest"):
        with pytest.raises(MixedRecordsError):
            aggregate(frame_of([ONE, MIXTURES[what][0]]))


def test_predictors_do_not_mix():
    both = frame_of([record(name, timing=predicted(1.0, model=name)) for name in ("m1", "m2")])
    with pytest.raises(MixedRecordsError, match=r"\(m1, m2\).*--predictor m1"):
        comparable(both)


def test_published_times_do_not_mix_with_evaluations():
    with pytest.raises(MixedRecordsError, match=r"\(evaluation, published\).*--source evaluation"):
        ranking(pl.concat([published_records(), frame_of([ONE]).lazy()]))


@pytest.mark.parametrize("time", [float("nan"), 0.0, -1.0, float("inf")])
def test_times_that_are_none_are_refused(time):
    frame = frame_of([ONE]).with_columns(time_ns=pl.lit(time))
    with pytest.raises(AnalysisError, match=r"evaluation one has a time of .*a positive finite number"):
        speedups(frame)


def test_samples_that_are_no_times_are_refused():
    with pytest.raises(AnalysisError, match=r"evaluation zero has a sample or an interval end of 0\.0 ns"):
        speedups(frame_of([record("zero", timing=measured(0.0, 1.0, 2.0))]))


def test_records_without_a_time_stand_with_those_of_any_kind():
    untimed = record("untimed", workload="9p_SwiGLU_MLP")
    assert fast_p(speedups(frame_of([ONE, untimed])), [1.0])["fast_p"].to_list() == [0.0]
