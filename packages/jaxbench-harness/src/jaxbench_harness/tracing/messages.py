"""What the supervisor asks of the process that traces a candidate, and what it answers."""

from typing import Annotated, Literal, Self

from pydantic import Field

from jaxbench_harness.records import FailureCode, Model, Stage
from jaxbench_harness.records.base import BoundedLog, NonEmptyStr, OneLine
from jaxbench_harness.targets import Target
from jaxbench_harness.workload import ArraySpec, DtypeName, Size, Workload


class ArrayArgument(Model):
    """An abstract array argument."""

    kind: Literal["array"] = "array"
    shape: tuple[int, ...]
    """Extent of each axis."""
    dtype: DtypeName
    """Element type."""


class StaticArgument(Model):
    """A Python number passed as it is."""

    kind: Literal["static"] = "static"
    value: int | float
    """The number."""


Argument = Annotated[ArrayArgument | StaticArgument, Field(discriminator="kind")]


class CallSpec(Model):
    """How the entry point is called at one size."""

    size: NonEmptyStr
    """Name of the size."""
    arguments: tuple[Argument, ...]
    """Positional arguments in order."""
    dims: dict[str, int | float]
    """Dims of the size; keyword-only parameters of the entry point are filled from them."""

    @classmethod
    def of(cls, workload: Workload, size: Size) -> Self:
        """Returns the call of `workload` at `size`."""
        arguments = tuple(
            ArrayArgument(shape=spec.shape, dtype=spec.dtype)
            if isinstance(spec, ArraySpec)
            else StaticArgument(value=spec)
            for spec in workload.arguments(size)
        )
        return cls(size=size.name, arguments=arguments, dims=dict(size.dims))


class AbstractChip(Model):
    """The device that the candidate sees."""

    device_kind: NonEmptyStr
    """As JAX reports it."""
    num_cores: int
    """TensorCores of one JAX device."""

    @classmethod
    def of(cls, target: Target) -> Self:
        """Returns the device of `target`."""
        return cls(device_kind=target.device_kind, num_cores=target.num_cores)


class SourceRequest(Model):
    """Source to load; the files' contents travel as blobs in the same order."""

    paths: tuple[NonEmptyStr, ...]
    """Relative paths of the files."""
    main: NonEmptyStr
    """The file to load."""
    entry_point: NonEmptyStr
    """Name of the function in it."""
    chip: AbstractChip
    """The device that the candidate sees."""


class TraceRequest(Model):
    """Asks for Programs: one for the target per size, and one for the CPU at each of `interpret_sizes`."""

    source: SourceRequest
    """What to load."""
    calls: tuple[CallSpec, ...]
    """How to call it, once per size."""
    interpret_sizes: tuple[NonEmptyStr, ...]
    """Sizes at which a Program with interpreted kernels is wanted too."""


class ProgramHeader(Model):
    """Describes one blob of the answer."""

    size: NonEmptyStr
    """Size it was traced at."""
    platform: Literal["tpu", "cpu"]
    """What it is for."""


class Traced(Model):
    """The candidate was traced."""

    kind: Literal["traced"] = "traced"
    programs: tuple[ProgramHeader, ...]
    """One per blob."""
    interpreter_error: OneLine | None
    """Why there is no Program with interpreted kernels; null when there is."""
    sources: tuple[NonEmptyStr, ...]
    """Files that the trace depended on besides the candidate's and those of installed versions."""


EarlyStage = Literal[Stage.LOAD, Stage.TRACE]
MemoryFaultCode = Literal[FailureCode.RACE, FailureCode.OUT_OF_BOUNDS, FailureCode.REVISITED_OUTPUT]
EarlyCode = Literal[
    MemoryFaultCode,
    FailureCode.SYNTAX,
    FailureCode.RAISED,
    FailureCode.EXITED,
    FailureCode.NO_ENTRY_POINT,
    FailureCode.SIGNATURE,
    FailureCode.FORBIDDEN_CALL,
    FailureCode.OUTPUT_STRUCTURE,
]
"""What a process with candidate code can say went wrong; others say the rest."""


class TraceFailed(Model):
    """The candidate could not be loaded or traced."""

    kind: Literal["failed"] = "failed"
    stage: EarlyStage
    """`load` or `trace`."""
    code: EarlyCode
    """Kind of the failure."""
    reason: OneLine
    """One line."""
    log: BoundedLog
    """The candidate's own part of the traceback."""


class TraceAnswer(Model):
    """The final message."""

    result: Annotated[Traced | TraceFailed, Field(discriminator="kind")]
    """What came of it."""
