"""Discovers workloads, releases and baselines of installed packages through their entry points."""

import difflib
import functools
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import cast

from jaxbench_harness.baseline import XLA, Baseline
from jaxbench_harness.candidate import Candidate, xla_baseline
from jaxbench_harness.digests import workload_digest
from jaxbench_harness.records import ResolvedConfig
from jaxbench_harness.releases import Release, current_protocol
from jaxbench_harness.workload import Workload

GROUP = "jaxbench.workloads"
RELEASES_GROUP = "jaxbench.releases"
BASELINES_GROUP = "jaxbench.baselines"


class RegistryError(Exception):
    """An installed package registers something of another kind than its group is for, or a name twice."""


class UnknownWorkloadError(LookupError):
    """No registered workload has that id, or no workload of the release."""


class UnknownBaselineError(LookupError):
    """The workload has no registered baseline of that name."""


class UnknownReleaseError(LookupError):
    """No registered release has that name."""


@functools.cache
def all_workloads() -> Mapping[str, Workload]:
    """Returns every registered workload by id, in the order of registration.

    Raises:
        RegistryError: If an entry point is not an iterable of Workload, or two packages use one id.
    """
    return _by_name((where, workload.id, workload) for where, workload in _registered(GROUP, Workload))


@functools.cache
def all_releases() -> Mapping[str, Release]:
    """Returns every registered release by name, in the order of registration.

    Raises:
        RegistryError: If an entry point is not an iterable of Release, or two packages use one name.
        ReleaseError: If a manifest is not valid.
    """
    return _by_name((where, release.name, release) for where, release in _registered(RELEASES_GROUP, Release))


@functools.cache
def all_baselines() -> Mapping[str, Mapping[str, Baseline]]:
    """Returns every registered baseline by workload id and name; `xla`, which every workload has, is not among them.

    Raises:
        RegistryError: If an entry point is not an iterable of Baseline, or two are called the same.
    """
    found: dict[str, dict[str, Baseline]] = {}
    for where, baseline in _registered(BASELINES_GROUP, Baseline):
        of_workload = found.setdefault(baseline.workload_id, {})
        if baseline.name in of_workload:
            raise RegistryError(
                f"entry point {where!r} registers {baseline.name!r} of {baseline.workload_id}, which is taken"
            )
        of_workload[baseline.name] = baseline
    return MappingProxyType({workload_id: MappingProxyType(names) for workload_id, names in found.items()})


def baseline_candidate(workload: Workload, name: str, target: str) -> Candidate:
    """Returns the candidate that a baseline of the workload is for a target.

    Args:
        workload: The workload.
        name: `xla`, `expert` or `expert:NAME`.
        target: Name of the target.

    Raises:
        UnknownBaselineError: If the workload has no such baseline; the message names those that it has.
        CandidateError: If its source cannot be read.
    """
    if name == XLA:
        return xla_baseline(workload)
    baselines = all_baselines().get(workload.id, {})
    if name not in baselines:
        raise UnknownBaselineError(f"{workload.id} has no baseline {name!r}; it has {', '.join((XLA, *baselines))}")
    return baselines[name].candidate(target)


def find_release(name: str) -> Release:
    """Returns the release with exactly this name.

    Raises:
        UnknownReleaseError: If there is none; the message suggests the closest names.
    """
    releases = all_releases()
    if name not in releases:
        raise UnknownReleaseError(f"unknown release {name!r}; {_hint(name, releases)}")
    return releases[name]


def find_workload(workload_id: str, release: str | None = None) -> Workload:
    """Returns the workload with exactly this id.

    Args:
        workload_id: The id.
        release: Release to take it from; None takes the one that is registered.

    Raises:
        UnknownWorkloadError: If there is none; the message suggests the closest ids.
        UnknownReleaseError: If there is no such release.
        ReleaseError: If the code of the workload, or the protocol, is no longer what the release has frozen.
    """
    if release is None:
        return _known(workload_id, all_workloads(), "unknown workload")
    found = find_release(release)
    workloads = {workload.id: workload for workload in found.workloads}
    workload = _known(workload_id, workloads, f"release {release} has no workload")
    found.require_unchanged(workload)
    return workload


def workloads_of(release: str | None) -> list[Workload]:
    """Returns all workloads of a release; of None, all that are registered. Raises as `find_workload` does."""
    if release is None:
        return list(all_workloads().values())
    found = find_release(release)
    for workload in found.workloads:
        found.require_unchanged(workload)
    return list(found.workloads)


def releases_of(workload: Workload) -> list[Release]:
    """Returns the releases that have frozen exactly this workload, the newest first."""
    digest = workload_digest(workload)
    dated = [
        (frozen.date, release)
        for release in all_releases().values()
        if (frozen := release.frozen) is not None
        and (entry := frozen.workload(workload.id)) is not None
        and entry.digest == digest
    ]
    return [release for _, release in sorted(dated, key=lambda pair: pair[0], reverse=True)]


def recorded_release(workload: Workload, config: ResolvedConfig, asked: str | None) -> str | None:
    """Returns the release that the record of an evaluation names.

    Args:
        workload: What is evaluated.
        config: How.
        asked: Release that was asked for, if any.

    Returns:
        The release asked for; else the newest failure-proof one that has frozen this very workload and protocol.

    Raises:
        ReleaseError: If the config contradicts the protocol of the release that was asked for.
    """
    if asked is not None:
        release = find_release(asked)
        release.require_protocol(config)
        return release.recorded_name
    protocol = current_protocol()
    fitting = [
        (release.manifest.date, release.recorded_name)
        for release in releases_of(workload)
        if release.failure_proof and release.manifest.protocol == protocol and protocol.contradiction(config) is None
    ]
    return max(fitting)[1] if fitting else None


def _registered[T](group: str, kind: type[T]) -> Iterator[tuple[str, T]]:
    """Yields what entry points hold, each with the entry point's value."""
    for point in sorted(entry_points(group=group), key=lambda point: point.name):
        items = point.load()
        if not isinstance(items, Iterable):
            raise RegistryError(f"entry point {point.value!r} is a {type(items).__name__}, not an iterable")
        for item in cast("Iterable[object]", items):
            if not isinstance(item, kind):
                raise RegistryError(f"entry point {point.value!r} holds a {type(item).__name__}, not a {kind.__name__}")
            yield point.value, item


def _by_name[T](items: Iterable[tuple[str, str, T]]) -> Mapping[str, T]:
    found: dict[str, T] = {}
    for where, name, item in items:
        if name in found:
            raise RegistryError(f"entry point {where!r} registers {name!r}, which is taken")
        found[name] = item
    return MappingProxyType(found)


def _known(workload_id: str, workloads: Mapping[str, Workload], otherwise: str) -> Workload:
    if workload_id not in workloads:
        raise UnknownWorkloadError(f"{otherwise} {workload_id!r}; {_hint(workload_id, workloads)}")
    return workloads[workload_id]


def _hint(name: str, known: Mapping[str, object]) -> str:
    begun = [each for each in known if name and each.startswith(f"{name}_")]
    close = begun[:3] or difflib.get_close_matches(name, known, n=3, cutoff=0.4)
    return f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(known) or 'none'}"
