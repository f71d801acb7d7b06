"""Calibration, against scipy and numpy."""

import numpy as np
import pytest
from scipy import stats
from synthetic_records import measured, predicted, record

from jaxbench_analysis import MixedRecordsError, calibration, calibration_pairs, frame_of, published_records

KINDS = (("p", predicted), ("m", measured))


def test_summary_is_that_of_scipy_over_all_and_per_family(measured, predicted):
    pairs = calibration_pairs(predicted, measured)
    summary = {row["family"]: row for row in calibration(pairs).iter_rows(named=True)}
    for family, row in summary.items():
        some = pairs if family == "all" else pairs.filter(family=family)
        guess, fact = some["predicted_ns"].to_numpy(), some["measured_ns"].to_numpy()
        off = np.abs(np.log(guess / fact))
        assert row["pairs"] == len(off)
        assert row["median_abs_log_ratio"] == pytest.approx(np.median(off))
        assert row["p90_abs_log_ratio"] == pytest.approx(np.percentile(off, 90))
        assert row["spearman"] == pytest.approx(stats.spearmanr(guess, fact).statistic)
        inside = (some["low_ns"].to_numpy() <= fact) & (fact <= some["high_ns"].to_numpy())
        assert row["within"] == pytest.approx(inside.mean())
    assert sum(row["pairs"] for family, row in summary.items() if family != "all") == summary["all"]["pairs"]


def test_pairs_are_of_one_candidate_and_repeats_are_medians():
    guesses = [record(f"p{number}", timing=predicted(value)) for number, value in enumerate((10.0, 20.0, 40.0))]
    facts = [record("m", timing=measured(16.0, 17.0)), record("other", candidate=1, timing=measured(1.0))]
    (row,) = calibration_pairs(frame_of(guesses), frame_of(facts)).iter_rows(named=True)
    assert (row["predicted_ns"], row["measured_ns"]) == (20.0, 16.5)
    assert row["log_ratio"] == pytest.approx(np.log(20 / 16.5))


def test_one_frame_may_hold_both_kinds():
    frame = frame_of([record("p", timing=predicted(10.0)), record("m", timing=measured(10.0))])
    assert calibration_pairs(frame, frame)["log_ratio"].to_list() == [0.0]


def test_published_times_pair_with_comparable_xla_baselines_only():
    known = {
        "8p_GEMM": "xla",
        "3p_MLA_Attention": "xla",
        "1p_Flash_Attention": "candidate",
        "11p_Megablox_GMM": "expert",
    }
    guesses = [record(name, workload=name, entrant=role, timing=predicted(1e6)) for name, role in known.items()]
    pairs = calibration_pairs(frame_of(guesses), published_records())
    found = pairs.select("workload_id", "role", "measured_ns", "source").rows()
    assert found == [("8p_GEMM", "xla", 5_321_800.0, "published")]


def test_little_says_little():
    none = calibration(calibration_pairs(frame_of([]), frame_of([])))
    assert none.height == 0
    same = [record(f"{kind}{n}", workload=f"{n}p", timing=time(5.0)) for n in range(4) for kind, time in KINDS]
    row = calibration(calibration_pairs(frame_of(same), frame_of(same))).row(0, named=True)
    assert (row["pairs"], row["median_abs_log_ratio"], row["spearman"]) == (4, 0.0, None)


def test_predictors_do_not_mix():
    frame = frame_of([record(name, timing=predicted(1.0, model=name)) for name in ("m1", "m2")])
    with pytest.raises(MixedRecordsError, match="predictor"):
        calibration_pairs(frame, frame)
