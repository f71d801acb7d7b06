"""What the compile and check stages found."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, FiniteFloat

from jaxbench_harness.records.base import (
    AnyFloat,
    BoundedLog,
    ByteCount,
    Model,
    NonEmptyStr,
    OneLine,
    Seconds,
    Sha256,
)
from jaxbench_harness.records.verdict import FailureCode


class MosaicKernel(Model):
    """One Pallas TPU kernel in the compiled program."""

    name: NonEmptyStr
    """The kernel's name as the compiler gives it to its custom call."""
    vmem_bytes: ByteCount | None
    """Scoped VMEM that the compiler reserved; null when it reports none."""


class Compiled(Model):
    """The compiler for the target accepted the full-size Program."""

    kind: Literal["compiled"] = "compiled"
    program_digest: Sha256
    """Digest of the Program that was compiled."""
    compile_s: Seconds
    """Wall time of lowering and compiling, without process start."""
    argument_bytes: ByteCount
    """HBM for the arguments, in the compiler's layouts."""
    output_bytes: ByteCount
    """HBM for the outputs."""
    temp_bytes: ByteCount
    """HBM for temporaries."""
    code_bytes: ByteCount
    """HBM for the program itself."""
    fits_hbm: bool
    """Whether the four together fit in the target's HBM."""
    flops: Annotated[FiniteFloat, Field(ge=0)] | None
    """FLOPs by XLA's cost analysis; null when it has none. Mosaic kernels without a cost estimate count nothing."""
    bytes_accessed: Annotated[FiniteFloat, Field(ge=0)] | None
    """Bytes accessed by XLA's cost analysis; null when it has none."""
    kernels: tuple[MosaicKernel, ...]
    """Mosaic kernels in the compiled program, in the order of its text."""

    @property
    def hbm_bytes(self) -> int:
        """HBM that the program needs in all, in bytes."""
        return self.argument_bytes + self.output_bytes + self.temp_bytes + self.code_bytes


class CompileRefused(Model):
    """The compiler for the target refused the Program; the verdict says how it is classified."""

    kind: Literal["refused"] = "refused"
    compile_s: Seconds
    """Wall time until the refusal."""
    message: BoundedLog
    """The compiler's message in full (cut in the middle past the limit of a log)."""


class CompileSkipped(Model):
    """Nothing was compiled."""

    kind: Literal["skipped"] = "skipped"
    reason: OneLine
    """Why not, and how to get it."""


CompileReport = Annotated[Compiled | CompileRefused | CompileSkipped, Field(discriminator="kind")]


class Verifier(StrEnum):
    """What executed the candidate's check Program."""

    XLA_CPU = "xla_cpu"
    """XLA's CPU backend; the Program has no Mosaic kernel."""
    HLO_INTERPRETER = "hlo_interpreter"
    """Pallas kernels rewritten to plain HLO, exported and run by XLA's CPU backend."""
    TPU_INTERPRETER = "tpu_interpreter"
    """The Pallas TPU interpreter, in a sandboxed process that gets inputs and returns outputs only."""


class Metric(Model):
    """One error metric of one draw. The draw passes when no value exceeds its limit."""

    name: NonEmptyStr
    """Name of the metric; docs/check.md defines each."""
    value: AnyFloat
    """The candidate's value, without unit; NaN or infinity where the output makes it so."""
    limit: Annotated[FiniteFloat, Field(ge=0)]
    """Largest value that passes: max(multiple * noise floor, floor)."""
    noise: Annotated[FiniteFloat, Field(ge=0)]
    """The same metric of the reference run in its native dtype."""

    @property
    def passed(self) -> bool:
        """Whether the value is within the limit (NaN is not)."""
        return self.value <= self.limit


class Mismatch(Model):
    """The element that failed worst."""

    index: tuple[int, ...]
    """Index into the output."""
    expected: AnyFloat
    """The float32 reference there."""
    got: AnyFloat
    """The candidate's value there."""


class ErrorHistogram(Model):
    """Counts of |output - reference| / scale by decade."""

    edges: tuple[FiniteFloat, ...]
    """Upper edges of the bins but the last; dimensionless."""
    counts: tuple[int, ...]
    """Elements per bin; one more than `edges`, the last holds larger and non-finite errors."""


class DrawReport(Model):
    """The comparison for one seed, size and input distribution."""

    seed: int
    """Seed of the inputs; replay with `--seed`."""
    size: NonEmptyStr
    """Name of the size of the workload."""
    distribution: NonEmptyStr
    """Name of the input distribution of the workload."""
    metrics: tuple[Metric, ...]
    """All metrics that could be computed; empty when the non-finite pattern already differs."""
    worst: Mismatch | None
    """Where the output is furthest from the reference in units of the tolerance; null for empty outputs."""
    histogram: ErrorHistogram
    """Distribution of element errors."""

    @property
    def passed(self) -> bool:
        """Whether every metric is within its limit."""
        return bool(self.metrics) and all(metric.passed for metric in self.metrics)


class RaceReport(Model):
    """A run under the TPU interpreter with race detection, on the first draw of the standard inputs."""

    outcome: Literal["clean", "found", "not_run"]
    """`found` fails the check; `not_run`: the interpreter cannot run the candidate, which says nothing about it."""
    reason: str = ""
    """What was found, or why it was not run; empty when clean."""


class OddSizeReport(Model):
    """The numeric check at the workload's odd size; no part of the verdict, since a kernel may be for one shape."""

    outcome: Literal["passed", "failed", "refused", "not_run"]
    """`refused`: raised when it was loaded or traced, as a specialized kernel should; `failed`: wrong in another way;
    `not_run`: the workload has no odd size, or the harness failed."""
    code: FailureCode | None = None
    """Kind of the failure or refusal; null otherwise."""
    reason: str = ""
    """What happened; empty when passed."""


class CheckReport(Model):
    """The numeric check of a candidate."""

    verifier: Verifier
    """What executed the candidate."""
    verifier_note: str = ""
    """Why the first choice of verifier was not used; empty when it was."""
    draws: tuple[DrawReport, ...]
    """One per seed and distribution, in order; stops at the first that fails."""
    races: RaceReport | None = None
    """Race detection; null when not asked for or not reached."""
    odd: OddSizeReport | None = None
    """The odd size; null when not asked for or not reached."""
