"""What the supervisor asks of the processes that check a candidate's numbers, and what they answer."""

from typing import Annotated, Literal

from pydantic import Field

from jaxbench_harness.records import DrawReport, FailureCode, Model, Verifier
from jaxbench_harness.records.base import NonEmptyStr, OneLine
from jaxbench_harness.tracing.messages import CallSpec, SourceRequest, TraceFailed


class CheckRequest(Model):
    """Asks for a numeric check of one size.

    The blobs are the check Program, or, when there is none, the candidate's files for the TPU interpreter; then the
    bundle of executables, if `executables` says so. The answer's blob, if any, is a bundle with more in it.
    """

    workload_id: NonEmptyStr
    """Workload to check against."""
    release: NonEmptyStr | None = None
    """Release to take it from; null takes the registered one."""
    size: NonEmptyStr
    """Size of the check."""
    seed: int
    """Base seed; draw i of a distribution uses seed + i."""
    draws_per_distribution: int
    """Draws per input distribution."""
    distributions: tuple[NonEmptyStr, ...] = ()
    """Distributions to draw from; empty for all of the workload's."""
    detect_races: bool = False
    """Whether the TPU interpreter looks for races."""
    kernels: int
    """Mosaic kernels in the check-size Program, as the guard counted them."""
    source: SourceRequest | None
    """The candidate's source for the TPU interpreter; null when the blob is a Program."""
    verifier_note: str
    """Why there is no Program; empty when there is."""
    timeout_s: float
    """Wall limit of one run in the TPU interpreter."""
    memory_bytes: int
    """Address-space limit of the TPU interpreter's process."""
    resident_bytes: int
    """Limit of its resident memory."""
    executables: bool
    """Whether the last blob is a bundle of executables to start from (empty: none yet) and one is wanted back."""


class CheckFailure(Model):
    """Why the check failed."""

    code: FailureCode
    """Kind of the failure."""
    reason: OneLine
    """One line."""
    log: str = ""
    """What the TPU interpreter's process printed."""


class CheckAnswer(Model):
    """The final message of the check worker."""

    verifier: Verifier
    """What executed the candidate."""
    draws: tuple[DrawReport, ...]
    """One per draw that was compared, in order."""
    failure: CheckFailure | None
    """Null when every draw passed."""


class ArrayHeader(Model):
    """Describes one array that travels as a blob of its bytes, C order, little-endian."""

    shape: tuple[int, ...]
    """Extent of each axis."""
    dtype: NonEmptyStr
    """NumPy name of the dtype (bfloat16 included)."""


class InterpretRequest(Model):
    """Asks for one run under the TPU interpreter; the blobs are the files, then the array arguments."""

    source: SourceRequest
    """What to load."""
    call: CallSpec
    """How to call it."""
    arrays: tuple[ArrayHeader, ...]
    """The array arguments."""
    detect_races: bool = False
    """Whether to look for races."""


class Interpreted(Model):
    """The candidate ran; the blob is its output."""

    kind: Literal["interpreted"] = "interpreted"
    output: ArrayHeader
    """The output."""


class InterpretAnswer(Model):
    """The final message of the interpret worker."""

    result: Annotated[Interpreted | TraceFailed, Field(discriminator="kind")]
    """What came of it."""
