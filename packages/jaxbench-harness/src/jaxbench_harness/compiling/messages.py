"""What the supervisor asks of the process that guards and compiles Programs, and what it answers."""

from typing import Annotated, Literal

from pydantic import Field

from jaxbench_harness.records import Compiled, CompileRefused, CompileSkipped, FailureCode, Model
from jaxbench_harness.records.base import NonEmptyStr, OneLine
from jaxbench_harness.tracing.messages import ProgramHeader


class CompileRequest(Model):
    """Programs of one candidate; their bytes travel as blobs in the same order."""

    workload_id: NonEmptyStr
    """Workload that says what the Programs must take and return."""
    release: NonEmptyStr | None = None
    """Release to take it from; null takes the registered one."""
    programs: tuple[ProgramHeader, ...]
    """All Programs; every one is guarded, the full-size one for the target is compiled."""
    target: NonEmptyStr
    """Name of the target."""
    guard_only: bool = False
    """Whether to stop after the guard."""


class GuardRefused(Model):
    """A Program is not acceptable."""

    kind: Literal["guard_refused"] = "guard_refused"
    code: FailureCode
    """Kind of the failure."""
    reason: OneLine
    """One line."""


class CompileAnswer(Model):
    """The final message."""

    result: Annotated[Compiled | CompileRefused | CompileSkipped | GuardRefused, Field(discriminator="kind")]
    """What came of it."""
    kernels: int = 0
    """Mosaic kernels in the full-size Program, counted by the guard."""
    check_kernels: int = 0
    """Mosaic kernels in the check-size Program for the target."""


class ProbeRequest(Model):
    """Asks whether libtpu works."""

    target: NonEmptyStr
    """Name of the target."""


class ProbeAnswer(Model):
    """The final message of the probe."""

    device_kind: NonEmptyStr
    """Device kind of the target's topology, as libtpu reports it."""
