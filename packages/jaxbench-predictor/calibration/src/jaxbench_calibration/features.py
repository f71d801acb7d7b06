"""Counts of what the executed bundles of a program issue, for terms of a model that the interpreter does not have."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from jaxbench_predictor.execution.core import Execution
from jaxbench_predictor.listing.lexing import bundles
from jaxbench_predictor.report.making import executions_of_bundles

_LISTING = re.compile(r"\d+-(?P<name>.+?)-\d+-packed-bundles-post-ra\.txt")
_UNITS: Mapping[str, re.Pattern[str]] = {
    "matmul": re.compile(r"= vmatmul"),
    "load": re.compile(r"= vld"),
    "store": re.compile(r" vst(?:\.|\s)"),
    "transcendental": re.compile(r"= v(?:pow2|exp2|rcp|rsqrt|tanh|log2|erf|sigshft)"),
}


def features(directory: Path, execution: Execution) -> dict[str, int]:
    """Returns counts over all executed bundles.

    Args:
        directory: Dump directory of the program.
        execution: Its execution.
    """
    counts: Counter[str] = Counter()
    for name, text in _texts(directory):
        program = execution.programs.get(name)
        if program is not None:
            executed = executions_of_bundles(program)
            for times, kinds in zip(executed, _kinds(text), strict=True):
                if times:
                    counts["bundles"] += times
                    for kind, number in kinds.items():
                        counts[kind] += times * number
    return dict(counts)


def _texts(directory: Path) -> Iterator[tuple[str, str]]:
    for path in directory.iterdir():
        match = _LISTING.fullmatch(path.name)
        if match and "schedule-analysis" not in path.name:
            yield match["name"], path.read_text()


def _kinds(text: str) -> Iterable[Counter[str]]:
    after_predicate = False
    for raw in bundles(text):
        kinds: Counter[str] = Counter()
        if not raw.ops:
            kinds["empty"] = 1
            kinds["empty_after_predicate"] = int(after_predicate)
        else:
            joined = " ;; ".join(raw.ops)
            after_predicate = "scmp" in joined or "%p" in joined.partition("=")[0]
            for unit, pattern in _UNITS.items():
                kinds[unit] = len(pattern.findall(joined))
        yield kinds
