"""Timing: raw samples with their kind, and the bound that no honest time beats."""

import math
from typing import Annotated, Literal

from pydantic import Field

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


class Predicted(Model):
    """A time computed from the compiler's schedule; never ranked with measured times."""

    kind: Literal["predicted"] = "predicted"
    model: NonEmptyStr
    """Name and version of the predictor model."""
    time_ns: Nanoseconds
    """Point estimate."""
    low_ns: Nanoseconds
    """Lower end of the 80% interval."""
    high_ns: Nanoseconds
    """Upper end of the 80% interval."""
    calibrated: bool
    """Whether the model was fitted to measurements of this target."""


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
