"""Filters and order of `jaxbench list`."""

from dataclasses import replace

import pytest

from jaxbench_harness.bounds import bound_for
from jaxbench_harness.cli.selection import ORDERS, SelectionError, ordered, select
from jaxbench_harness.cli.workload_documents import WorkloadSummary
from jaxbench_harness.published import PublishedTime, PublishedTimes
from jaxbench_harness.targets import get_target
from jaxbench_harness.workload import sizes


@pytest.fixture(scope="module")
def summaries(workload):
    """Three workloads: small and bound by HBM, large and bound by compute, and one of another family."""
    large = {"M": 8192, "K": 8192, "N": 8192}
    check = {"M": 16, "K": 128, "N": 128}
    times = PublishedTimes(
        target="v6e",
        version=2,
        xla=PublishedTime(time_ns=2e6, matches=True, note=""),
        expert=None,
        source="a paper",
    )
    workloads = (
        replace(workload, id="10p_small", model="Llama-3.1-70B"),
        replace(workload, id="9p_large", sizes=sizes(full=large, check=check), model="Mixtral-8x7B", published=times),
        replace(workload, id="2k_other", family="loss", tier="kernelbench", flops="M*K*N + 7"),
    )
    return [WorkloadSummary.of(one, bound_for(one, get_target("v6e"))) for one in workloads]


def ids(summaries):
    return [summary.id for summary in summaries]


@pytest.mark.parametrize(
    ("filters", "left"),
    [
        ({}, ["10p_small", "9p_large", "2k_other"]),
        ({"tier": "user"}, ["10p_small", "9p_large"]),
        ({"family": "loss"}, ["2k_other"]),
        ({"model": "LLAMA"}, ["10p_small"]),
        ({"model": "8x7"}, ["9p_large"]),
        ({"bound": "compute"}, ["9p_large"]),
        ({"bound": "hbm"}, ["10p_small", "2k_other"]),
        ({"tier": "user", "bound": "hbm"}, ["10p_small"]),
    ],
    ids=str,
)
def test_every_filter_must_match(summaries, filters, left):
    assert ids(select(summaries, **filters)) == left


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ({"tier": "users"}, "no workload has tier 'users'; there is kernelbench, user"),
        ({"family": "los"}, "no workload has family 'los'; there is loss, matmul"),
        ({"model": "GPT"}, "no workload has model 'GPT'; there is Llama-3.1-70B, Mixtral-8x7B"),
        (
            {"tier": "kernelbench", "bound": "compute"},
            "no workload with tier 'kernelbench' has bound 'compute'; there is hbm",
        ),
        (
            {"tier": "kernelbench", "family": "loss", "model": "x"},
            "no workload with tier 'kernelbench' and family 'loss' has model 'x'; there is none",
        ),
    ],
    ids=str,
)
def test_a_filter_that_leaves_nothing_names_what_there_is(summaries, filters, said):
    with pytest.raises(SelectionError) as refused:
        select(summaries, **filters)
    assert str(refused.value) == said


@pytest.mark.parametrize(
    ("by", "order"),
    [
        (None, ["10p_small", "9p_large", "2k_other"]),
        ("id", ["2k_other", "9p_large", "10p_small"]),
        ("flops", ["2k_other", "10p_small", "9p_large"]),
        ("intensity", ["2k_other", "10p_small", "9p_large"]),
        ("bytes", ["10p_small", "2k_other", "9p_large"]),
        ("bound", ["10p_small", "2k_other", "9p_large"]),
        ("published", ["9p_large", "10p_small", "2k_other"]),
    ],
)
def test_order_is_ascending_and_keeps_equal_ones_as_they_were(summaries, by, order):
    assert ids(ordered(summaries, by, reverse=False)) == order


def test_reversed_order_still_has_workloads_without_a_published_time_last(summaries):
    assert ids(ordered(summaries, "id", reverse=True)) == ["10p_small", "9p_large", "2k_other"]
    assert ids(ordered(summaries, None, reverse=True)) == ["2k_other", "9p_large", "10p_small"]
    assert ids(ordered(summaries, "published", reverse=True))[0] == "9p_large"


def test_an_unknown_order_names_those_there_are(summaries):
    with pytest.raises(SelectionError, match=f"cannot sort by 'speed'; there is {', '.join(ORDERS)}"):
        ordered(summaries, "speed", reverse=False)


def test_intensity_is_of_useful_work(summaries):
    # float32 output and second input, bfloat16 first input.
    nbytes = 2 * 256 * 128 + 4 * 128 * 384 + 4 * 256 * 384
    assert summaries[0].intensity == (2 * 256 * 128 * 384 + 256 * 384) / nbytes
