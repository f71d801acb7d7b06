"""What the supervisor asks of the process that predicts a time, and what it answers."""

from typing import Annotated, Literal

from pydantic import Field

from jaxbench_harness.records import Model, Predicted
from jaxbench_harness.records.base import BoundedLog, ByteCount, NonEmptyStr, OneLine


class PredictRequest(Model):
    """Asks for the time of a full-size Program; its bytes are the blob."""

    workload_id: NonEmptyStr
    """Workload that it is of, whose integer inputs decide control flow."""
    release: NonEmptyStr | None = None
    """Release to take it from; null takes the registered one."""
    target: NonEmptyStr
    """Name of the target."""
    distribution: NonEmptyStr
    """Distribution of the integer inputs."""
    seed: int
    """Seed of them."""
    tensor_core_only: bool = False
    """Whether what the compiler hands to the SparseCore is taken to run on the TensorCore however much it is."""
    timeline: bool = False
    """Whether to make a timeline."""
    timeout_s: float
    """Seconds that the compiler may take."""
    memory_bytes: ByteCount
    """Private memory that it may use."""


class Unpredicted(Model):
    """No time can be told."""

    kind: Literal["unpredicted"] = "unpredicted"
    reason: OneLine
    """Why."""
    log: BoundedLog = ""
    """What the compiler printed, where that is the reason."""


class PredictAnswer(Model):
    """The final message. Its blobs are the predictor's whole outcome as JSON, and the timeline if there is one."""

    result: Annotated[Predicted | Unpredicted, Field(discriminator="kind")]
    """What came of it."""
