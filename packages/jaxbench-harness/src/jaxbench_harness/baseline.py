"""Baseline: a candidate with a role, as packages register it. Judged like any other source."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from jaxbench_harness.candidate import Candidate

XLA = "xla"
"""Name of the baseline that every workload has: its reference, compiled by XLA."""
EXPERT = "expert"
"""Name of a workload's best known kernel, and the role of all of them."""

_NAME = re.compile(r"expert(:[a-z0-9][a-z0-9-]{0,49})?")


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """A kernel of experts for one workload.

    Attributes:
        workload_id: What it computes.
        name: `expert`, or `expert:NAME` for an alternative.
        library: Where the kernel comes from, such as `tokamax` or `jaxbench-baselines`.
        library_version: Version of the library that it was made for.
        kernel: Name of the kernel there.
        timed: What a time of it includes beyond the kernel, such as a change of layout.
        build: Returns the candidate for a target, by the target's name.
    """

    workload_id: str
    name: str
    library: str
    library_version: str
    kernel: str
    timed: str
    build: Callable[[str], Candidate]

    def __post_init__(self) -> None:
        """Refuses names that could be taken for another kind of entrant."""
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"{self.workload_id}: baseline {self.name!r}; use 'expert' or 'expert:NAME' in lower case")

    def candidate(self, target: str) -> Candidate:
        """Returns the candidate for a target.

        Raises:
            ValueError: If it is built with another name or role than the baseline has.
            CandidateError: If its source cannot be read.
        """
        built = self.build(target)
        if (built.name, built.role) != (self.name, EXPERT):
            raise ValueError(
                f"{self.workload_id}: baseline {self.name!r} is built as {built.name!r} in the role of {built.role!r}; "
                f"build it as {self.name!r} in the role of {EXPERT!r}"
            )
        return built
