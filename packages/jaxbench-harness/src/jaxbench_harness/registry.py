"""Discovers workloads of installed packages through the entry point group `jaxbench.workloads`."""

import difflib
import functools
from collections.abc import Iterable, Mapping
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import cast

from jaxbench_harness.workload import Workload

GROUP = "jaxbench.workloads"


class RegistryError(Exception):
    """An installed package registers something that is no workload, or an id twice."""


class UnknownWorkloadError(LookupError):
    """No registered workload has that id."""


@functools.cache
def all_workloads() -> Mapping[str, Workload]:
    """Returns every registered workload by id, in the order of registration.

    Raises:
        RegistryError: If an entry point is not an iterable of Workload, or two packages use one id.
    """
    found: dict[str, Workload] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        workloads = point.load()
        if not isinstance(workloads, Iterable):
            raise RegistryError(f"entry point {point.value!r} is a {type(workloads).__name__}, not an iterable")
        for workload in cast("Iterable[object]", workloads):
            if not isinstance(workload, Workload):
                raise RegistryError(f"entry point {point.value!r} holds a {type(workload).__name__}, not a Workload")
            if workload.id in found:
                raise RegistryError(f"entry point {point.value!r} registers {workload.id!r}, which is taken")
            found[workload.id] = workload
    return MappingProxyType(found)


def find_workload(workload_id: str) -> Workload:
    """Returns the workload with exactly this id.

    Raises:
        UnknownWorkloadError: If there is none; the message suggests the closest ids.
    """
    workloads = all_workloads()
    if workload_id not in workloads:
        close = difflib.get_close_matches(workload_id, workloads, n=3, cutoff=0.4)
        hint = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(workloads) or 'none'}"
        raise UnknownWorkloadError(f"unknown workload {workload_id!r}; {hint}")
    return workloads[workload_id]
