"""Wrong answers that an audit may let pass, and why."""

import fnmatch
from collections.abc import Mapping

LABELS: Mapping[tuple[str, str], str] = {}
"""Reason by pattern of workload id and pattern of answer, as `fnmatch` reads them."""


def label_of(workload_id: str, answer: str) -> str:
    """Returns why an answer is let pass; empty where it isn't."""
    found = (
        reason
        for (workload_pattern, answer_pattern), reason in LABELS.items()
        if fnmatch.fnmatchcase(workload_id, workload_pattern) and fnmatch.fnmatchcase(answer, answer_pattern)
    )
    return next(found, "")
