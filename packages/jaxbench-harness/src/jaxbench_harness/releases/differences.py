"""What differs between two manifests, by workload and part."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from jaxbench_harness.records import Model
from jaxbench_harness.records.base import NonEmptyStr
from jaxbench_harness.releases.manifest import FrozenWorkload, Manifest

_SHOWN_DIGITS = 12


class Difference(Model):
    """One thing that two manifests say differently."""

    where: NonEmptyStr
    """Workload id, or `protocol`."""
    what: NonEmptyStr
    """`workload`, `version`, a part of the digest, or a setting of the protocol."""
    before: str | None
    """Value or first digits of the digest in the first manifest; null where it has none."""
    after: str | None
    """The same in the second manifest."""

    def __str__(self) -> str:
        return f"{self.where}: {self.what} is {self.after or 'absent'}, was {self.before or 'absent'}"


def differences(before: Manifest, after: Manifest) -> list[Difference]:
    """Returns what differs in workloads and protocol; name, status, date and versions may."""
    found = list(_of_values("protocol", _flat(before.protocol.model_dump()), _flat(after.protocol.model_dump())))
    for workload_id in dict.fromkeys(workload.id for workload in (*before.workloads, *after.workloads)):
        found += workload_differences(before.workload(workload_id), after.workload(workload_id))
    return found


def workload_differences(before: FrozenWorkload | None, after: FrozenWorkload | None) -> list[Difference]:
    """Returns what differs between two states of one workload, of which one may be absent."""
    if before is None or after is None:
        return [
            Difference(where=one.id, what="workload", before=_version_of(before), after=_version_of(after))
            for one in (before, after)
            if one is not None
        ]
    found = list(_of_values(before.id, _values(before), _values(after)))
    if not found and before.digest != after.digest:
        short = [one.digest[:_SHOWN_DIGITS] for one in (before, after)]
        found.append(Difference(where=before.id, what="digest", before=short[0], after=short[1]))
    return found


def _version_of(workload: FrozenWorkload | None) -> str | None:
    return None if workload is None else f"version {workload.version}"


def _values(workload: FrozenWorkload) -> dict[str, str]:
    return {"version": str(workload.version)} | {
        part: digest[:_SHOWN_DIGITS] for part, digest in workload.parts.items()
    }


def _of_values(where: str, before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Difference]:
    for what in dict.fromkeys((*before, *after)):
        if before.get(what) != after.get(what):
            yield Difference(where=where, what=what, before=before.get(what), after=after.get(what))


def _flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    flat: dict[str, str] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            flat |= _flat(cast("Mapping[str, Any]", value), f"{prefix}{name}.")
        else:
            flat[f"{prefix}{name}"] = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return flat
