"""Timing: raw samples with their kind, and the bound that no honest time beats."""

import math
from typing import Annotated, Literal

from pydantic import Field, FiniteFloat

from jaxbench_harness.records.base import ByteCount, Model, Nanoseconds, NonEmptyStr


class Measured(Model):
    """Times taken on a device."""

    kind: Literal["measured"] = "measured"
    clock: Literal["device_profiler", "wall"]
    """Which clock: device time of XLA modules from the profiler, or host wall time."""
    samples_ns: Annotated[tuple[Nanoseconds, ...], Field(min_length=1)]
    """Every timed call in order, nothing dropped."""
    warmup_calls: Annotated[int, Field(ge=0)]
    """Calls before the first sample."""


class PredictedWait(Model):
    """Time that the core is predicted to wait for one window of one operand."""

    operand: NonEmptyStr
    """Buffer that the transfer reads or writes, as the compiler describes it."""
    window: tuple[int, ...]
    """Elements of the window by dimension; empty where the compiler does not describe it."""
    source: NonEmptyStr
    """Memory that the transfer reads."""
    destination: NonEmptyStr
    """Memory that it writes."""
    time_ns: Nanoseconds
    """Time lost."""


class PredictedPart(Model):
    """Time in one instruction of the compiled program: a fusion, or a kernel."""

    name: NonEmptyStr
    """Name of the instruction."""
    calls: Annotated[int, Field(ge=0)]
    """How often it runs."""
    time_ns: Nanoseconds
    """Time in all of its runs."""


class Breakdown(Model):
    """Where a predicted time goes."""

    bottleneck: NonEmptyStr
    """What takes most of the time, in the predictor's word."""
    executing_ns: Nanoseconds
    """Time in which the core issues instructions."""
    waiting_ns: Nanoseconds
    """Time in which it waits for transfers."""
    hbm_busy_ns: Nanoseconds
    """Time in which HBM moves data."""
    hbm_bytes: ByteCount
    """Bytes read from HBM and written to it."""
    parts: tuple[PredictedPart, ...] = ()
    """The instructions that take longest."""
    waits: tuple[PredictedWait, ...] = ()
    """The waits that cost most."""
    units: dict[NonEmptyStr, FiniteFloat] = Field(default_factory=dict[str, float])
    """Share of the issue slots used, by unit."""
    assumptions: tuple[NonEmptyStr, ...] = ()
    """What was taken for granted about the state of the chip and its inputs."""


class Predicted(Model):
    """A time computed from the compiler's schedule; never ranked with measured times."""

    kind: Literal["predicted"] = "predicted"
    model: NonEmptyStr
    """Name and version of the predictor model."""
    time_ns: Nanoseconds
    """Point estimate."""
    low_ns: Nanoseconds | None
    """Lower end of the 80% interval; null where the model was never compared with measurements of this target."""
    high_ns: Nanoseconds | None
    """Upper end of the 80% interval; null likewise."""
    calibrated: bool
    """Whether the model was fitted to measurements of this target."""
    inputs: NonEmptyStr | None = None
    """Distribution and seed of the integers that control flow depends on; null where the workload has none."""
    breakdown: Breakdown | None = None
    """Where the time goes; null in records older than the field."""


Timing = Annotated[Measured | Predicted, Field(discriminator="kind")]


class Bound(Model):
    """Lower limits on the time of a workload at one size on a target, from its formulas and the target's peaks."""

    flops: Annotated[int, Field(ge=0)]
    """FLOPs that no kernel can do without: the workload's useful count."""
    hbm_bytes: ByteCount
    """HBM bytes that no kernel can do without: the workload's useful count."""
    compute_ns: Nanoseconds
    """`flops` over the target's peak bf16 FLOP/s."""
    hbm_ns: Nanoseconds
    """`hbm_bytes` over the target's HBM bandwidth."""
    nominal_flops: Annotated[int, Field(ge=0)]
    """FLOPs by the published convention, masked and unused ones included; TFLOP/s are stated in these."""
    nominal_bytes: ByteCount
    """Every input read once and the output written once."""

    @property
    def time_ns(self) -> float:
        """The larger of the two limits, in nanoseconds."""
        return max(self.compute_ns, self.hbm_ns)

    @property
    def binds(self) -> Literal["compute", "hbm"]:
        """Which of the two limits is the larger."""
        return "compute" if self.compute_ns >= self.hbm_ns else "hbm"

    @property
    def intensity(self) -> float:
        """Arithmetic intensity: FLOPs per HBM byte, of those that no kernel can do without."""
        return self.flops / self.hbm_bytes if self.hbm_bytes else math.inf
