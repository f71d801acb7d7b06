"""Brings records of older schema versions to the current one."""

from collections.abc import Callable, Mapping
from typing import Any, cast

Document = dict[str, Any]


def migrate(document: Mapping[str, Any], current: int) -> Document:
    """Returns the JSON document of a record as version `current` has it.

    Args:
        document: A record of any version; what is no valid record is for the caller to refuse.
        current: Version to end at.

    Returns:
        A new document; unchanged where its version is not an older one.
    """
    migrated = dict(document)
    version = migrated.get("schema_version")
    while isinstance(version, int) and version < current and version in _STEPS:
        migrated = _STEPS[version](migrated)
        version += 1
        migrated["schema_version"] = version
    return migrated


def _bound_has_nominal_counts(document: Document) -> Document:
    """Version 1 computed its bounds from the nominal counts and had no others."""
    bound = document.get("bound")
    if not isinstance(bound, Mapping):
        return document
    counts = cast("Mapping[str, Any]", bound)
    nominal = {"nominal_flops": counts.get("flops"), "nominal_bytes": counts.get("hbm_bytes")}
    return {**document, "bound": {**counts, **nominal}}


_STEPS: Mapping[int, Callable[[Document], Document]] = {1: _bound_has_nominal_counts}
"""By version: what leads to the next one."""
