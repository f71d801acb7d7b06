"""Which workloads `jaxbench list` shows, and in which order."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jaxbench_harness.cli.workload_documents import WorkloadSummary


class SelectionError(LookupError):
    """A filter that matches nothing or an order that there is not; the message is one line."""


def _natural(workload_id: str) -> tuple[tuple[int, str], ...]:
    """Returns a key by which `9p` comes before `10p`."""
    pieces = re.findall(r"(\d*)(\D*)", workload_id)
    return tuple((int(digits) if digits else -1, letters) for digits, letters in pieces)


ORDERS: Mapping[str, Callable[[WorkloadSummary], Any]] = {
    "id": lambda summary: _natural(summary.id),
    "flops": lambda summary: summary.bound.nominal_flops,
    "bytes": lambda summary: summary.bound.hbm_bytes,
    "bound": lambda summary: summary.bound.time_ns,
    "intensity": lambda summary: summary.intensity,
    "published": lambda summary: math.inf if summary.published is None else summary.published.xla.time_ns,
}
"""Keys to sort by, ascending, by the word for `--sort`."""


def select(
    summaries: Sequence[WorkloadSummary],
    *,
    tier: str | None = None,
    family: str | None = None,
    model: str | None = None,
    bound: str | None = None,
) -> list[WorkloadSummary]:
    """Returns the workloads that match every filter, in the order they have.

    Args:
        summaries: Workloads.
        tier: Exact tier.
        family: Exact family.
        model: Part of the model's name, upper or lower case.
        bound: Which limit binds: `compute` or `hbm`.

    Raises:
        SelectionError: If a filter leaves nothing, naming what it could have been.
    """
    found = list(summaries)
    applied: list[str] = []
    for name, wanted in (("tier", tier), ("family", family), ("model", model), ("bound", bound)):
        if wanted is None:
            continue
        kept = [one for one in found if _matches(name, wanted, one)]
        if not kept:
            there = ", ".join(sorted({value for one in found if (value := _value(name, one))})) or "none"
            among = f" with {' and '.join(applied)}" if applied else ""
            raise SelectionError(f"no workload{among} has {name} {wanted!r}; there is {there}")
        applied.append(f"{name} {wanted!r}")
        found = kept
    return found


def _matches(name: str, wanted: str, summary: WorkloadSummary) -> bool:
    value = _value(name, summary) or ""
    return wanted.casefold() in value.casefold() if name == "model" else wanted == value


def _value(name: str, summary: WorkloadSummary) -> str | None:
    return summary.bound.binds if name == "bound" else getattr(summary, name)


def ordered(summaries: Sequence[WorkloadSummary], by: str | None, *, reverse: bool) -> list[WorkloadSummary]:
    """Returns the workloads in another order, equal ones as they were.

    Args:
        summaries: Workloads.
        by: One of `ORDERS`; None leaves the order as it is.
        reverse: Whether to turn it round; workloads without a published time come last either way.

    Raises:
        SelectionError: If there is no such order.
    """
    if by is None:
        return list(reversed(summaries)) if reverse else list(summaries)
    if by not in ORDERS:
        raise SelectionError(f"cannot sort by {by!r}; there is {', '.join(ORDERS)}")
    last = [one for one in summaries if by == "published" and one.published is None]
    first = [one for one in summaries if one not in last]
    return sorted(first, key=ORDERS[by], reverse=reverse) + last
