"""The JSON documents that commands print with `--json`; `jaxbench schema` prints their schemas."""

from typing import Literal

from pydantic import FiniteFloat

from jaxbench_harness.cli.workload_documents import ListDocument, ShowDocument
from jaxbench_harness.records import CompileReport, Model, Predicted, Record, Verdict
from jaxbench_harness.records.base import ByteCount, NonEmptyStr, OneLine, Sha256


class CompileDocument(Model):
    """`jaxbench compile --json`."""

    workload_id: NonEmptyStr
    """Workload that the candidate was compiled for."""
    release: NonEmptyStr | None
    """Release that it was taken from; null for the registered one."""
    target: NonEmptyStr
    """Target."""
    candidate_digest: Sha256
    """Digest of the candidate."""
    verdict: Verdict
    """Passed when the compiler accepted the full-size Program; says nothing about numbers."""
    compile: CompileReport | None
    """What the compiler said; null when it was not reached."""


class CandidatePrediction(Model):
    """What was predicted of one candidate."""

    candidate_name: NonEmptyStr
    """Display name of the candidate."""
    candidate_digest: Sha256
    """Digest of the candidate."""
    verdict: Verdict
    """Passed when the Program was accepted; says nothing about numbers."""
    timing: Predicted | None
    """The time; null when there is none."""
    untimed: OneLine | None
    """Why there is no time; null when there is one, or the verdict says why."""


class ComparedTimes(Model):
    """Two predictions beside each other."""

    ratio: FiniteFloat
    """Time of the second over that of the first: above one, the first takes less."""
    faster: Literal["first", "second", "tie"]
    """Which takes less time; a tie where the difference is less than the model can tell."""
    why: OneLine
    """What the difference consists of."""


class PredictDocument(Model):
    """`jaxbench predict --json`."""

    workload_id: NonEmptyStr
    """Workload that the candidates were traced for."""
    release: NonEmptyStr | None
    """Release that it was taken from; null for the registered one."""
    target: NonEmptyStr
    """Target."""
    predictions: tuple[CandidatePrediction, ...]
    """One per candidate, in the order of the command line."""
    comparison: ComparedTimes | None
    """Null without a second candidate, or where one has no time."""


class RunDocument(Model):
    """`jaxbench run --json`."""

    run_id: NonEmptyStr
    """Id of the run."""
    records_path: NonEmptyStr
    """File that the records were appended to."""
    records: tuple[Record, ...]
    """The records, in the order of the workloads."""


class Finding(Model):
    """One thing that `jaxbench doctor` looked at."""

    name: NonEmptyStr
    """What was looked at."""
    status: Literal["ok", "missing", "broken"]
    """`missing` limits what works; `broken` must be mended."""
    detail: str
    """What was found."""
    remedy: str
    """What to do; empty when nothing is to be done."""


class DoctorDocument(Model):
    """`jaxbench doctor --json`."""

    findings: tuple[Finding, ...]
    """In the order they were looked at."""


class CacheKindSummary(Model):
    """The entries of one kind."""

    entries: int
    """How many there are."""
    entry_bytes: ByteCount
    """Their bytes together."""


class CacheDocument(Model):
    """`jaxbench cache show --json`."""

    path: NonEmptyStr
    """Folder of the cache."""
    entries: int
    """How many entries there are."""
    entry_bytes: ByteCount
    """Their bytes together."""
    max_bytes: ByteCount
    """Bound on them; the entries unused for longest are removed beyond it."""
    kinds: dict[str, CacheKindSummary]
    """The same by what an entry holds: `trace`, `compile`, `executables` or `prediction`."""


DOCUMENTS: dict[str, type[Model]] = {
    "record": Record,
    "list": ListDocument,
    "show": ShowDocument,
    "evaluate": Record,
    "compile": CompileDocument,
    "predict": PredictDocument,
    "run": RunDocument,
    "doctor": DoctorDocument,
    "cache": CacheDocument,
}
"""Schemas by command; `evaluate` prints a record."""
