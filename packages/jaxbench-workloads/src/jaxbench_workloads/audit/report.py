"""What an audit found. Models without JAX, so that reports are read wherever records are."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, FiniteFloat

from jaxbench_harness.records import Environment, Model, WorkloadRef
from jaxbench_harness.records.base import AnyFloat, NonEmptyStr

SCHEMA_VERSION = 1

Share = Annotated[FiniteFloat, Field(ge=0, le=1)]
Size = Annotated[FiniteFloat, Field(ge=0)]


class Kind(StrEnum):
    """Where a wrong answer comes from."""

    BLIND = "blind"
    """Made without a look at the inputs, or only at the first."""
    DAMAGED = "damaged"
    """The right answer with a wrong scale, an unwritten or stale part, or neighbours swapped."""
    INPUT = "input"
    """The reference on other inputs: one ignored or shifted."""
    MUTANT = "mutant"
    """The reference with one equation wrong."""


class Outcome(StrEnum):
    """What became of a wrong answer."""

    REJECTED = "rejected"
    """By the check, on every seed: a blind answer by every draw, any other by at least one input distribution."""
    EQUIVALENT = "equivalent"
    """Not wrong after all: no further from the right answer than float32 rounding, on any draw."""
    BELOW_NOISE = "below_noise"
    """No further from the right answer than the native reference, on any draw: it can't be told apart."""
    ACCEPTED = "accepted"
    """By the check, on at least one seed, although it is further off than the native reference."""


class Finding(Model):
    """One wrong answer."""

    kind: Kind
    """Where it comes from."""
    answer: NonEmptyStr
    """What is wrong with it."""
    outcome: Outcome
    """What became of it."""
    draws: Annotated[int, Field(ge=1)]
    """Draws that judged it: all of them judge a blind answer; any other is settled once a distribution rejects it."""
    caught_by: dict[str, int]
    """Number of seeds on which it was rejected, by input distribution."""
    error: Size | None
    """RMS error, before rounding to the output's dtype, over the standard deviation of the right answer: the largest
    of all draws; null where the answer is not finite."""
    noise: Size
    """The same of the native reference on that draw."""
    label: str = ""
    """Why an answer that isn't rejected is let pass; empty where nothing had to be said."""


class Margin(Model):
    """One honest answer."""

    answer: NonEmptyStr
    """Which honest way to compute."""
    worst: AnyFloat
    """Largest share of its limit that any metric reached on any draw; above 1 it was refused, infinite where it was
    non-finite elsewhere than the right answer."""
    metric: NonEmptyStr
    """That metric."""
    distribution: NonEmptyStr
    """Inputs of that draw."""
    seed: int
    """Seed of that draw."""


class OutputStatistics(Model):
    """The right answers of one input distribution, over all seeds."""

    distribution: NonEmptyStr
    """Name of the input distribution."""
    least: FiniteFloat
    """Smallest value."""
    greatest: FiniteFloat
    """Largest value."""
    mean: FiniteFloat
    """Mean."""
    std: Size
    """Standard deviation."""
    zeros: Share
    """Share of exact zeros."""
    entropy_bits: Size
    """Shannon entropy of the values in the output's dtype: 0 for a constant."""
    noise: Size
    """RMS error of the native reference over the standard deviation: the largest of all seeds."""
    noise_smallest: Size
    """The smallest of all seeds."""


class WorkloadAudit(Model):
    """The audit of one workload at one size."""

    workload: WorkloadRef
    """What was audited."""
    size: NonEmptyStr
    """Size of the inputs."""
    seeds: tuple[int, ...]
    """Seeds of the draws, each used with every input distribution."""
    scope: Literal["full", "answers"]
    """`answers`: only wrong answers that need no second evaluation of the reference."""
    statistics: tuple[OutputStatistics, ...]
    """Per input distribution."""
    findings: tuple[Finding, ...]
    """Every wrong answer."""
    margins: tuple[Margin, ...]
    """Every honest answer."""

    def count(self, outcome: str) -> int:
        """Returns the number of wrong answers with an outcome."""
        return sum(found.outcome == outcome for found in self.findings)

    @property
    def worst_margin(self) -> Margin:
        """The honest answer that came closest to a limit, or went furthest beyond."""
        return max(self.margins, key=lambda margin: margin.worst)

    @property
    def labelled(self) -> tuple[Finding, ...]:
        """Wrong answers that pass for a stated reason."""
        return tuple(found for found in self.findings if found.outcome is Outcome.ACCEPTED and found.label)

    @property
    def accepted(self) -> tuple[Finding, ...]:
        """Wrong answers that pass and carry no label."""
        return tuple(found for found in self.findings if found.outcome is Outcome.ACCEPTED and not found.label)

    @property
    def refused(self) -> tuple[Margin, ...]:
        """Honest answers that fail."""
        return tuple(margin for margin in self.margins if margin.worst > 1)

    @property
    def clean(self) -> bool:
        """Whether nothing wrong passes without a label and nothing honest fails."""
        return not self.accepted and not self.refused


class AuditReport(Model):
    """`jaxbench audit --json`: audits made together."""

    schema_version: Literal[1] = SCHEMA_VERSION
    """Version of this schema."""
    created_at: AwareDatetime
    """When the audit ended, UTC."""
    environment: Environment
    """Software and host."""
    audits: tuple[WorkloadAudit, ...]
    """One per workload."""
    skipped: dict[str, str]
    """Workloads that were not audited, and why."""


DOCUMENTS: dict[str, type[Model]] = {"audit": AuditReport}
"""Schemas by the name that `jaxbench schema` takes."""
