"""Verdict: passed, or failed at a stage, with an owner and a bounded log."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from jaxbench_harness.records.base import BoundedLog, Model, OneLine


class Stage(StrEnum):
    """Where in the pipeline an evaluation can end, in order."""

    LOAD = "load"
    TRACE = "trace"
    GUARD = "guard"
    COMPILE = "compile"
    CHECK = "check"
    TIME = "time"


class Owner(StrEnum):
    """Who has to act on a failure."""

    CANDIDATE = "candidate"
    INFRASTRUCTURE = "infrastructure"


class FailureCode(StrEnum):
    """Machine-readable kind of a failure; the taxonomy that analysis counts."""

    TIMEOUT = "timeout"
    """A stage ran past its wall-clock limit."""
    MEMORY = "memory"
    """A process used more memory than it may."""
    EXITED = "exited"
    """The process ended by itself before it answered (`sys.exit`, `os._exit`)."""
    CRASHED = "crashed"
    """The process was ended by a signal."""
    PROTOCOL = "protocol"
    """The process answered with something that is no valid message."""
    SYNTAX = "syntax"
    """The source is not valid Python."""
    RAISED = "raised"
    """The candidate's Python raised while it was loaded or traced."""
    NO_ENTRY_POINT = "no_entry_point"
    """The source defines no callable of the expected name."""
    SIGNATURE = "signature"
    """The entry point does not take the workload's inputs."""
    OUTPUT_STRUCTURE = "output_structure"
    """The result is not a single array."""
    OUTPUT_SHAPE = "output_shape"
    """The result has another shape than the workload specifies."""
    OUTPUT_DTYPE = "output_dtype"
    """The result has another dtype than the workload specifies."""
    FORBIDDEN_CALL = "forbidden_call"
    """The Program calls a custom-call target outside the allow-list."""
    EFFECTS = "effects"
    """The Program has side effects: callbacks, infeed, outfeed."""
    NO_KERNEL = "no_kernel"
    """The Program has no Mosaic kernel where the config requires one."""
    VMEM_EXHAUSTED = "vmem_exhausted"
    """A kernel needs more VMEM (or SMEM) than it may use."""
    HBM_EXHAUSTED = "hbm_exhausted"
    """Arguments, outputs and temporaries do not fit in HBM."""
    UNSUPPORTED = "unsupported"
    """The compiler does not implement an operation, dtype or layout that the kernel uses."""
    COMPILER_ERROR = "compiler_error"
    """The compiler refused for another reason."""
    NOT_EXECUTABLE = "not_executable"
    """The check Program could not be run by any interpreter."""
    NON_FINITE = "non_finite"
    """NaN or infinity where the reference has none, or the reverse."""
    ELEMENT_ERROR = "element_error"
    """Single elements are further from the reference than rounding explains."""
    RMS_ERROR = "rms_error"
    """The output as a whole is further from the reference than rounding explains."""
    SYSTEMATIC_ERROR = "systematic_error"
    """The output is the reference times a wrong scale or plus a wrong offset."""
    RACE = "race"
    """Two accesses to the same memory, one of them a write, that nothing orders."""
    OUT_OF_BOUNDS = "out_of_bounds"
    """A kernel reads or writes beyond the end of a buffer."""
    REVISITED_OUTPUT = "revisited_output"
    """A kernel comes back to an output block that it had left."""
    NO_LIBTPU = "no_libtpu"
    """Cross-compilation was asked for where libtpu is not installed."""
    INTERNAL = "internal"
    """A fault of the harness itself."""


class Passed(Model):
    """The candidate computes what the workload asks for."""

    outcome: Literal["passed"] = "passed"


class Failed(Model):
    """The evaluation ended at `stage`."""

    outcome: Literal["failed"] = "failed"
    stage: Stage
    """Stage at which the evaluation ended."""
    owner: Owner
    """Who has to act: infrastructure failures are never scored against a candidate."""
    code: FailureCode
    """Kind of the failure."""
    reason: OneLine
    """One line that a person can act on."""
    log: BoundedLog = ""
    """What the failing process printed or the compiler said; cut in the middle when long."""


Verdict = Annotated[Passed | Failed, Field(discriminator="outcome")]
