"""Times that others have published for a workload: facts to compare with, no part of its meaning."""

from typing import Annotated

from pydantic import Field, FiniteFloat

from jaxbench_harness.records import Model
from jaxbench_harness.records.base import NonEmptyStr


class PublishedTime(Model):
    """One published device time."""

    time_ns: Annotated[FiniteFloat, Field(gt=0)]
    """Device time in nanoseconds."""
    matches: bool
    """Whether what was timed computes what the workload does, at the same shapes."""
    note: str
    """How it differs from the workload or its inputs; empty where it does not."""


class PublishedTimes(Model):
    """Device times of one workload on one chip, as published."""

    target: NonEmptyStr
    """Target that was timed."""
    version: Annotated[int, Field(ge=1)]
    """Version of the workload that was timed."""
    xla: PublishedTime
    """Plain JAX, compiled by XLA."""
    expert: PublishedTime | None
    """A tuned kernel; null where none was published."""
    source: NonEmptyStr
    """Where the times are from and how they were measured."""

    def comparable(self, time: PublishedTime, version: int) -> bool:
        """Returns whether `time`, one of these, is one of this `version` of the workload."""
        return time.matches and self.version == version
