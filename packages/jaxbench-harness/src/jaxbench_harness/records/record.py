"""Record: the immutable, versioned line that an evaluation leaves."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal, Self, cast

from pydantic import AwareDatetime, Field, FiniteFloat, model_validator

from jaxbench_harness.records.base import ByteCount, Model, NonEmptyStr, OneLine, Seconds, Sha256
from jaxbench_harness.records.migration import migrate
from jaxbench_harness.records.program_report import ProgramReport
from jaxbench_harness.records.reports import CheckReport, Compiled, CompileRefused, CompileReport
from jaxbench_harness.records.timing import Bound, Timing
from jaxbench_harness.records.verdict import Passed, Stage, Verdict

SCHEMA_VERSION = 2


class WorkloadRef(Model):
    """Which workload was evaluated."""

    id: NonEmptyStr
    """Workload id, such as `8p_GEMM`."""
    version: Annotated[int, Field(ge=1)]
    """Workload version."""
    digest: Sha256
    """Content digest of the definition: reference, dims, inputs, distributions, tolerance."""
    release: NonEmptyStr | None = None
    """Release that has frozen this digest, with `-draft` behind its name while it is one; null outside a release."""
    family: NonEmptyStr | None = None
    """Family of the workload, such as `attention`, by which analysis groups; null in records older than the field."""


class Method(Model):
    """How the candidate was produced."""

    name: NonEmptyStr
    """Method, such as `human`, `sampling`, `refinement`, `evolution`, `beam_search` or `tuner`."""
    model: NonEmptyStr | None = None
    """Model that wrote the candidate; null when none did."""
    sample: Annotated[int, Field(ge=0)] | None = None
    """Zero-based number of this sample within the method's run; null when the method has no samples."""
    cost_usd: Annotated[FiniteFloat, Field(ge=0)] | None = None
    """Cost of producing this sample in US dollars; null when unknown."""
    budget_samples: Annotated[int, Field(ge=1)] | None = None
    """Samples that the method could spend on this workload; null when it had no limit or none is stated."""
    context: NonEmptyStr | None = None
    """Name and version of what the model was given to read; null when nothing, or when not stated."""


class CandidateRef(Model):
    """What was judged."""

    name: NonEmptyStr
    """Display name; never used as an identity."""
    digest: Sha256
    """SHA-256 over the candidate's files and entry point, length-delimited."""
    role: Literal["candidate", "xla", "expert"] = "candidate"
    """`xla` and `expert` are baselines; they are judged by the same path."""
    method: Method | None = None
    """How it was produced; null when not stated."""


class ResolvedConfig(Model):
    """Everything that steers an evaluation, every field filled."""

    target: NonEmptyStr
    """Name of the target."""
    seed: Annotated[int, Field(ge=0, lt=2**63)] | None = None
    """Base seed of the check inputs; null draws it from the operating system once the Programs exist."""
    draws_per_distribution: Annotated[int, Field(ge=1)] = 1
    """Input draws per distribution of the workload."""
    require_pallas: bool = False
    """Whether a candidate without a Mosaic kernel fails the guard (otherwise it is flagged)."""
    races: bool = False
    """Whether the source also runs under the TPU interpreter with race detection."""
    odd_size: bool = False
    """Whether the numbers are also checked at the workload's odd size; for the report, never for the verdict."""
    library_kernels: Literal["allow", "flag", "refuse"] = "flag"
    """What becomes of a candidate in which a kernel of Tokamax or JAX is recognised; baselines may use any."""
    timing: Literal["predict", "none"] = "none"
    """Whether the time of a candidate that passed is predicted from the compiler's schedule."""
    trace_timeout_s: Annotated[Seconds, Field(gt=0)] = 60.0
    """Wall limit of loading and tracing together."""
    compile_timeout_s: Annotated[Seconds, Field(gt=0)] = 600.0
    """Wall limit of cross-compilation."""
    check_timeout_s: Annotated[Seconds, Field(gt=0)] = 600.0
    """Wall limit of the numeric check."""
    time_timeout_s: Annotated[Seconds, Field(gt=0)] = 900.0
    """Wall limit of a prediction."""
    memory_bytes: Annotated[ByteCount, Field(gt=0)] = 16 * 2**30
    """Address-space limit of the process that runs candidate code."""
    resident_bytes: Annotated[ByteCount, Field(gt=0)] = 6 * 10**9
    """Limit of the resident memory of every worker process."""


class Environment(Model):
    """Software and host of an evaluation."""

    python: NonEmptyStr
    """Python version."""
    harness: NonEmptyStr
    """Version of jaxbench-harness."""
    jax: NonEmptyStr
    """Version of jax."""
    jaxlib: NonEmptyStr
    """Version of jaxlib."""
    libtpu: NonEmptyStr | None
    """Version of libtpu; null when not installed."""
    tokamax: NonEmptyStr | None
    """Version of Tokamax; null when not installed."""
    device_kind: NonEmptyStr | None
    """Kind of the attached device as JAX reports it; null when the evaluation used none."""
    platform: NonEmptyStr
    """Operating system and machine."""
    host: NonEmptyStr
    """Host name."""
    flags: dict[str, str]
    """Environment variables that change what XLA or libtpu does, as set; libtpu's own defaults are absent."""
    git_commit: NonEmptyStr | None
    """Commit of the checkout that ran; null outside one."""
    git_dirty: bool | None
    """Whether that checkout had uncommitted changes; null outside one."""


class Sandbox(Model):
    """How far the processes that ran candidate code were confined."""

    gaps: tuple[OneLine, ...] = ()
    """What this machine could not give, one item each; empty when the sandbox was complete."""
    reason: str = ""
    """Why not; empty when the sandbox was complete."""


class ProgramRef(Model):
    """A Program that the trace produced."""

    size: NonEmptyStr
    """Size of the workload it was traced at."""
    platform: Literal["tpu", "cpu"]
    """`tpu`: for the target; `cpu`: the same trace with its kernels in interpret mode."""
    digest: Sha256
    """Digest of its bytes."""
    program_bytes: ByteCount
    """Length of its bytes."""


class FlagCode(StrEnum):
    """Machine-made reasons for review by a person."""

    NO_PALLAS = "no_pallas"
    """No Mosaic kernel in the compiled program."""
    BELOW_BOUND = "below_bound"
    """Faster than the physical bound."""
    CLOCKS_DISAGREE = "clocks_disagree"
    """Device time and wall time differ by more than the stated band."""
    SIZE_DIVERGENCE = "size_divergence"
    """Full-size and check-size Programs have different structure."""
    PROGRAM_DIVERGENCE = "program_divergence"
    """The checked and the compiled Program of one size do different amounts of work."""
    WORK_SKIPPED = "work_skipped"
    """Far fewer FLOPs than the workload needs."""
    LOW_PRECISION = "low_precision"
    """A matrix product of operands narrower than the workload's inputs and 16 bits."""
    LARGE_CONSTANT = "large_constant"
    """Constants large enough to hold a baked-in answer."""
    LIBRARY_KERNEL = "library_kernel"
    """A kernel of Tokamax or JAX, where the config asks for flags."""
    IMPORTS_REFERENCE = "imports_reference"
    """Code of the workloads' own package is in the Program."""
    SOURCE_INTERPRETED = "source_interpreted"
    """The numbers came from a process that ran the source with real inputs, for want of an interpreted Program."""
    NOT_COMPILED = "not_compiled"
    """The target's compiler was not available."""
    DOES_NOT_FIT_HBM = "does_not_fit_hbm"
    """The compiled program needs more HBM than the target has."""


class Flag(Model):
    """One reason for review. A flagged record is kept and not ranked."""

    code: FlagCode
    """Kind of the flag."""
    detail: OneLine
    """The numbers behind it."""


class StageTime(Model):
    """What one stage took on this host in this evaluation, process start included."""

    stage: Stage
    """Stage."""
    wall_s: Seconds
    """Wall time."""
    cpu_s: Seconds | None = None
    """User and system time of its process; 0 where the cache made one unnecessary; null when not recorded."""
    peak_bytes: ByteCount | None = None
    """Most resident memory of its process; null where there was none, or the platform does not say."""
    cached: Literal["result", "executables"] | None = None
    """What came from the cache. `result`: all that the stage found; `compile_s` is then of the original compile.
    `executables`: compiled code that draws inputs and computes the reference, never numbers. Null: nothing."""


class CurrentRecord(Model):
    """A record of exactly this schema version.

    Reads JSON twice as fast as `Record`, which first makes Python objects of it to migrate.
    """

    schema_version: Literal[2] = SCHEMA_VERSION
    """Version of this schema; newer ones are refused, older ones migrated."""
    evaluation_id: NonEmptyStr
    """Unique id of the evaluation; records merge by it."""
    run_id: NonEmptyStr
    """Id shared by evaluations started together."""
    created_at: AwareDatetime
    """When the evaluation ended, UTC."""
    workload: WorkloadRef
    """What was to be computed."""
    candidate: CandidateRef
    """What was judged."""
    config: ResolvedConfig
    """How it was judged."""
    environment: Environment
    """Where it was judged."""
    sandbox: Sandbox | None = None
    """How far candidate code was confined; null when none ran, and in records that are older than the field."""
    programs: tuple[ProgramRef, ...]
    """Programs of the trace; empty when there was none."""
    bound: Bound
    """Physical limits of the workload's full size on the target."""
    verdict: Verdict
    """Outcome."""
    program: ProgramReport | None = None
    """What the full-size Program is made of; null when the guard refused it, and in records older than the field."""
    compile: CompileReport | None
    """What the compiler said; null when the evaluation ended before it."""
    check: CheckReport | None
    """What the numeric check found; null when the evaluation ended before it."""
    timing: Timing | None
    """Measured or predicted time; null when there is none."""
    untimed: OneLine | None = None
    """Why a time that the config asks for cannot be told; null where there is one, or none was asked for."""
    flags: tuple[Flag, ...] = ()
    """Reasons for review."""
    stages: tuple[StageTime, ...] = ()
    """Wall time per stage that ran."""

    @model_validator(mode="after")
    def _outcome_matches_reports(self) -> Self:
        if self.untimed is not None and (self.timing is not None or not isinstance(self.verdict, Passed)):
            raise ValueError("only a record that passed and has no timing says why it has none")
        if isinstance(self.verdict, Passed):
            if self.check is None or not self.check.draws or not all(draw.passed for draw in self.check.draws):
                raise ValueError("a passed record needs a check in which every draw passed")
            if self.compile is None or isinstance(self.compile, CompileRefused):
                raise ValueError("a passed record needs an accepted (or openly skipped) compile")
            return self
        if self.timing is not None:
            raise ValueError("a failed record has no timing")
        self._refuse_reports_beyond(self.verdict.stage)
        return self

    def _refuse_reports_beyond(self, stage: Stage) -> None:
        order = list(Stage)
        reached = order.index(stage)
        if self.program is not None and reached < order.index(Stage.GUARD):
            raise ValueError(f"a record that failed at {stage} has no report of its Program")
        if self.compile is not None and reached < order.index(Stage.COMPILE):
            raise ValueError(f"a record that failed at {stage} has no compile report")
        if self.check is not None and reached < order.index(Stage.CHECK):
            raise ValueError(f"a record that failed at {stage} has no check report")
        if isinstance(self.compile, CompileRefused) and stage is not Stage.COMPILE:
            raise ValueError("a refused compile fails at the compile stage")
        if stage is Stage.COMPILE and isinstance(self.compile, Compiled):
            raise ValueError("an accepted compile does not fail at the compile stage")


class Record(CurrentRecord):
    """One evaluation: one candidate, one workload version, one target, one resolved config."""

    @model_validator(mode="before")
    @classmethod
    def _of_an_older_version(cls, document: Any) -> Any:
        if not isinstance(document, Mapping):
            return document
        return migrate(cast("Mapping[str, Any]", document), SCHEMA_VERSION)
