"""Content digest of a workload: changes with anything that alters meaning, and with nothing else.

It covers every field of the definition that steers inputs, outputs, tolerance or bound, and the code of the reference
and of the input distributions with all code of ours that they use; `canonical_code` says what of code is meaning.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, cast

from jaxbench_harness.canonical_code import canonical
from jaxbench_harness.records import WorkloadRef
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.workload import InputSpec, OutputSpec, Size, StaticSpec, Workload

PARTS: Mapping[str, tuple[str, ...]] = {
    "code": ("reference",),
    "sizes": ("sizes",),
    "inputs": ("inputs", "output"),
    "distributions": ("distributions",),
    "tolerance": ("tolerance",),
    "counts": ("flops", "useful_flops", "useful_bytes"),
}
"""Fields of a workload whose digests are told apart. Its digest is made of these, its id and its version."""

FOR_PEOPLE = frozenset({"title", "tier", "family", "model", "semantics", "meaning", "role", "shortcut", "published"})
"""Fields that describe a workload or one of its inputs to people, or compare it with what others have measured."""

_Declared = InputSpec | StaticSpec | OutputSpec | Size | Tolerance


def workload_ref(workload: Workload, release: str | None = None) -> WorkloadRef:
    """Returns what a record keeps of the workload, evaluated in `release` if in any."""
    return WorkloadRef(
        id=workload.id,
        version=workload.version,
        digest=workload_digest(workload),
        release=release,
        family=workload.family or None,
    )


def workload_digest(workload: Workload) -> str:
    """Returns the SHA-256 of the workload's canonical JSON, as 64 hexadecimal digits."""
    return _digest({"id": workload.id, "version": workload.version, "parts": part_digests(workload)})


def part_digests(workload: Workload) -> dict[str, str]:
    """Returns the SHA-256 of each of `PARTS`.

    Raises:
        TypeError: If a value has no canonical form, or code cannot be followed.
    """
    return {part: _digest({name: _field(workload, name) for name in names}) for part, names in PARTS.items()}


def _digest(document: Mapping[str, Any]) -> str:
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _field(workload: Workload, name: str) -> Any:
    match name:
        case "reference":
            return canonical(workload.reference)
        case "distributions":
            # Draws depend on the names and not on the order.
            ordered = {name: dict(sorted(per_input.items())) for name, per_input in workload.distributions.items()}
            return canonical(dict(sorted(ordered.items())))
        case _:
            return _plain(getattr(workload, name))


def _plain(value: Any) -> Any:
    """Turns declared data into JSON values."""
    if isinstance(value, _Declared):
        named = {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
        return {"type": type(value).__name__} | {name: item for name, item in named.items() if name not in FOR_PEOPLE}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in cast("list[Any]", value)]
    if value is None or isinstance(value, str | int | float):
        return value
    raise TypeError(f"{type(value).__name__} {value!r} in a workload has no canonical form; use data")
