"""What the supervisor asks of the process that guards and compiles Programs, and what it answers."""

from typing import Annotated, Literal

from pydantic import Field

from jaxbench_harness.records import Compiled, CompileRefused, CompileSkipped, FailureCode, Model, ProgramReport
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


class Findings(Model):
    """What the guard found in Programs that it let pass."""

    program: ProgramReport
    """What the full-size Program for the target is made of."""
    size_differences: tuple[OneLine, ...]
    """Computations of which the full-size Program has fewer than the check-size one, or which only it has."""
    check_flops: int | None
    """FLOPs of the check-size Program for the target; null where they cannot be counted."""
    interpreted_flops: int | None
    """FLOPs of the check-size Program for the CPU; null where they cannot be counted, or there is none."""


class CompileAnswer(Model):
    """The final message."""

    result: Annotated[Compiled | CompileRefused | CompileSkipped | GuardRefused, Field(discriminator="kind")]
    """What came of it."""
    kernels: int = 0
    """Mosaic kernels in the full-size Program, counted by the guard."""
    check_kernels: int = 0
    """Mosaic kernels in the check-size Program for the target."""
    findings: Findings | None = None
    """What else the guard found; null where it refused, or there was no full-size Program."""


class ProbeRequest(Model):
    """Asks whether libtpu works."""

    target: NonEmptyStr
    """Name of the target."""


class ProbeAnswer(Model):
    """The final message of the probe."""

    device_kind: NonEmptyStr
    """Device kind of the target's topology, as libtpu reports it."""
