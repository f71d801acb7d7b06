"""Comparison of two sides, against scipy and by hand."""

import numpy as np
import pytest
from scipy import stats
from synthetic_records import measured, predicted, record

from jaxbench_analysis import AnalysisError, compare, frame_of
from jaxbench_harness.records import FailureCode, Stage


def side(name, times):
    """Records of one side: by workload a timing, or None for one that failed."""
    failed = (Stage.CHECK, FailureCode.RMS_ERROR)
    return frame_of(
        [
            record(
                f"{name}-{workload}",
                workload=workload,
                candidate=name,
                timing=timing,
                failed=None if timing else failed,
            )
            for workload, timing in times.items()
        ]
    )


def outcomes(a, b, **options):
    return {row["workload_id"]: row for row in compare(side("a", a), side("b", b), **options).iter_rows(named=True)}


def test_measured_times_are_tested_as_scipy_does_with_holms_adjustment():
    rng = np.random.default_rng(0)
    shifts = {"1p": 0.0, "2p": 0.004, "3p": 0.03, "4p": -0.03}
    a = {name: 100 * (1 + 0.003 * rng.standard_normal(20)) for name in shifts}
    b = {name: 100 * (1 - shift + 0.003 * rng.standard_normal(20)) for name, shift in shifts.items()}
    found = outcomes(
        {n: measured(*map(float, v)) for n, v in a.items()}, {n: measured(*map(float, v)) for n, v in b.items()}
    )
    raw = {name: stats.mannwhitneyu(a[name], b[name]).pvalue for name in shifts}
    adjusted = dict(zip(raw, by_holm(list(raw.values())), strict=True))
    for name, row in found.items():
        assert row["p_value"] == pytest.approx(raw[name])
        assert row["p_adjusted"] == pytest.approx(adjusted[name])
        assert row["speedup"] == pytest.approx(np.median(a[name]) / np.median(b[name]))
        assert row["test"] == "Mann-Whitney U, Holm-adjusted"
    assert adjusted["2p"] < 0.05
    expected = {"1p": "no difference", "2p": "no difference", "3p": "better", "4p": "worse"}
    assert {name: row["outcome"] for name, row in found.items()} == expected


def by_holm(values):
    """Holm's adjustment, straight from its definition."""
    ranked = sorted(values)
    number = len(values)
    return [min(1, max((number - k) * ranked[k] for k in range(ranked.index(value) + 1))) for value in values]


def test_predicted_times_differ_where_their_intervals_do():
    a = {"1p": predicted(100.0, 1.1), "2p": predicted(100.0, 1.1), "3p": predicted(100.0, 1.1)}
    b = {"1p": predicted(50.0, 1.1), "2p": predicted(95.0, 1.1), "3p": predicted(200.0, 1.1)}
    found = outcomes(a, b)
    assert [row["outcome"] for row in found.values()] == ["better", "no difference", "worse"]
    assert {row["test"] for row in found.values()} == {"overlap of predicted 80% intervals"}


def test_what_cannot_be_tested_says_so():
    found = outcomes(
        {"1p": measured(1.0), "2p": measured(1.0), "3p": None, "4p": None},
        {"1p": measured(9.0), "2p": None, "3p": measured(1.0), "4p": None},
    )
    assert [row["outcome"] for row in found.values()] == ["not tested", "only A", "only B", "neither"]
    assert found["1p"]["test"] is None


def test_zero_variance_and_equal_times_are_no_difference():
    same = {"1p": measured(5.0, 5.0, 5.0)}
    (row,) = outcomes(same, same).values()
    assert (row["outcome"], row["p_value"]) == ("no difference", 1.0)


def test_a_side_without_records_is_an_error():
    with pytest.raises(AnalysisError, match="no records on side B"):
        compare(side("a", {"1p": measured(1.0)}), frame_of([]))


def test_all_evaluations_of_a_candidate_count():
    rng = np.random.default_rng(2)
    sides = {name: base + rng.random((7, 5)) for name, base in (("a", 100.0), ("b", 90.0))}
    frames = [
        frame_of(
            [record(f"{name}{n}", candidate=name, timing=measured(*map(float, row))) for n, row in enumerate(rows)]
        )
        for name, rows in sides.items()
    ]
    (row,) = compare(*frames).iter_rows(named=True)
    assert row["p_value"] == pytest.approx(stats.mannwhitneyu(sides["a"].ravel(), sides["b"].ravel()).pvalue)
    assert row["a_ns"] == pytest.approx(np.median(np.median(sides["a"], axis=1)))
    assert row["outcome"] == "better"
