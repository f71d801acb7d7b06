"""Published times: complete, positive, and compared only where they can be."""

import pytest

from jaxbench_harness.bounds import bound_for
from jaxbench_harness.targets import get_target
from jaxbench_workloads import WORKLOADS
from jaxbench_workloads.compat import COMPAT_WORKLOADS
from jaxbench_workloads.published import published_times

TIMES = published_times()


def test_every_workload_has_times_and_no_other_has():
    assert list(TIMES) == [workload.id for workload in WORKLOADS]
    for workload in (*WORKLOADS, *COMPAT_WORKLOADS):
        assert workload.published == TIMES[workload.id]


def test_times_are_nanoseconds_of_version_1_on_v6e():
    flash = TIMES["1p_Flash_Attention"]
    assert (flash.xla.time_ns, flash.expert.time_ns) == (pytest.approx(22_976_200), pytest.approx(6_510_600))
    assert TIMES["25k_Conv3d_GroupNorm_Mean"].xla.time_ns == pytest.approx(338_300)
    assert {(times.target, times.version) for times in TIMES.values()} == {("v6e", 1)}


def test_what_matches_and_what_was_timed_otherwise():
    others = {
        workload_id: (times.xla.matches, times.expert is not None and times.expert.matches)
        for workload_id, times in TIMES.items()
        if times.expert is not None or not times.xla.matches
    }
    assert others == {
        "1p_Flash_Attention": (True, True),
        "2p_GQA_Attention": (True, False),
        "3p_MLA_Attention": (False, True),
        "4p_Sparse_Attention": (False, True),
        "6p_Paged_Attention": (True, False),
        "7p_Ragged_Paged_Attention": (False, False),
        "8p_GEMM": (True, True),
        "11p_Megablox_GMM": (False, True),
        "42k_Gemm_Max_Subtract_GELU": (False, False),
    }
    assert sum("weights" in times.xla.note and "zero" in times.xla.note for times in TIMES.values()) == 29
    for times in TIMES.values():
        for time in filter(None, (times.xla, times.expert)):
            assert time.matches or time.note


def test_repaired_workloads_do_not_compare_and_their_first_versions_do():
    for repaired, public in zip(WORKLOADS, COMPAT_WORKLOADS, strict=True):
        times = public.published
        assert times.comparable(times.xla, public.version) == times.xla.matches
        if repaired.version > 1:
            assert not times.comparable(times.xla, repaired.version)


def test_no_time_that_compares_is_below_the_bound():
    for workload in WORKLOADS:
        times = workload.published
        bound_ns = bound_for(workload, get_target(times.target)).time_ns
        for time in filter(None, (times.xla, times.expert)):
            assert not times.comparable(time, workload.version) or time.time_ns > bound_ns
