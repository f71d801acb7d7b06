"""Device times published for the workloads. README.md beside this file says where they are from."""

import csv
from collections.abc import Mapping
from dataclasses import replace
from importlib import resources

from jaxbench_harness.published import PublishedTime, PublishedTimes
from jaxbench_harness.workload import Workload

__all__ = ["published_times", "with_published_times"]

_TARGET = "v6e"
_VERSION = 1
_SOURCE = (
    "the public benchmark's own results: one TPU v6e chip, bfloat16, device profiler, median of 50 runs "
    "(10 of 7p and 11p with XLA)"
)
_ANSWERS: Mapping[str, bool] = {"yes": True, "no": False}


def with_published_times(*workloads: Workload) -> tuple[Workload, ...]:
    """Returns the workloads with the times published for them, in the same order.

    Raises:
        KeyError: If there are none for a workload.
    """
    times = published_times()
    return tuple(replace(workload, published=times[workload.id]) for workload in workloads)


def published_times() -> dict[str, PublishedTimes]:
    """Returns the published times by workload id, in benchmark order."""
    table = resources.files(__name__).joinpath("v6e.csv").read_text(encoding="utf-8")
    return {row["workload"]: _times(row) for row in csv.DictReader(table.splitlines())}


def _times(row: Mapping[str, str]) -> PublishedTimes:
    return PublishedTimes(
        target=_TARGET,
        version=_VERSION,
        xla=_time(row, "xla"),
        expert=_time(row, "expert") if row["expert_ms"] else None,
        source=_SOURCE,
    )


def _time(row: Mapping[str, str], who: str) -> PublishedTime:
    return PublishedTime(
        time_ns=float(row[f"{who}_ms"]) * 1e6, matches=_ANSWERS[row[f"{who}_matches"]], note=row[f"{who}_note"]
    )
