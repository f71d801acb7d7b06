"""The JSON documents that commands print with `--json`; `jaxbench schema` prints their schemas."""

import dataclasses
from typing import Literal, Self

from jaxbench_harness.bounds import bound_for
from jaxbench_harness.digests import workload_digest
from jaxbench_harness.records import Bound, CompileReport, Model, Record, Verdict
from jaxbench_harness.records.base import ByteCount, NonEmptyStr, Sha256
from jaxbench_harness.targets import Target
from jaxbench_harness.workload import ArraySpec, InputSpec, Tier, Workload


class ArraySummary(Model):
    """One argument or the result of a workload at full size."""

    name: NonEmptyStr
    """Name of the argument."""
    shape: tuple[int, ...] | None
    """Extent of each axis at full size; null for a Python number."""
    dtype: NonEmptyStr
    """Element type; `python` for a Python number."""
    meaning: str
    """Layout and meaning in words."""


class WorkloadSummary(Model):
    """One line of `jaxbench list`."""

    id: NonEmptyStr
    """Workload id."""
    version: int
    """Workload version."""
    title: str
    """A few words."""
    tier: Tier
    """Where it comes from."""
    family: str
    """Kind of operation."""
    model: str | None
    """Model whose shapes it has; null when none."""
    inputs: tuple[ArraySummary, ...]
    """Arguments in call order, at full size."""
    output: ArraySummary
    """The result, at full size."""
    shortcut: str | None
    """Why most of the nominal work can be avoided; null where it cannot."""
    bound: Bound
    """Physical limits at full size."""

    @classmethod
    def of(cls, workload: Workload, bound: Bound) -> Self:
        """Returns the summary of `workload`."""
        output = workload.output.at(workload.size("full").dims)
        return cls(
            id=workload.id,
            version=workload.version,
            title=workload.title,
            tier=workload.tier,
            family=workload.family,
            model=workload.model,
            inputs=argument_summaries(workload),
            output=ArraySummary(name="output", shape=output.shape, dtype=output.dtype, meaning=""),
            shortcut=workload.shortcut,
            bound=bound,
        )


class ListDocument(Model):
    """`jaxbench list --json`."""

    target: NonEmptyStr
    """Target of the bounds."""
    release: NonEmptyStr | None
    """Release that was asked for; null for the registered workloads."""
    workloads: tuple[WorkloadSummary, ...]
    """Every workload of it."""


class SizeSummary(Model):
    """One size of a workload."""

    dims: dict[str, int | float]
    """Named dims and constants."""
    arguments: tuple[str, ...]
    """Each argument as `dtype[extents]` or number."""
    output: str
    """The result as `dtype[extents]`."""


class ShowDocument(Model):
    """`jaxbench show --json`."""

    id: NonEmptyStr
    """Workload id."""
    version: int
    """Workload version."""
    digest: Sha256
    """Content digest of the definition."""
    release: NonEmptyStr | None
    """Release that was asked for; null for the registered workload."""
    title: str
    """A few words."""
    tier: Tier
    """Where it comes from."""
    family: str
    """Kind of operation."""
    model: str | None
    """Model whose shapes it has; null when none."""
    semantics: str
    """What is computed."""
    arguments: tuple[ArraySummary, ...]
    """Arguments in call order."""
    sizes: dict[str, SizeSummary]
    """Sizes by name."""
    distributions: dict[str, dict[str, str]]
    """For each input distribution, how each array input is drawn."""
    tolerance: str
    """Limits of the check."""
    flops_formula: str
    """Nominal FLOPs over the dims."""
    useful_flops_formula: str | None
    """FLOPs over the dims that no kernel can do without; null where the nominal ones are."""
    useful_bytes_formula: str | None
    """HBM bytes over the dims and `min_bytes` that no kernel can do without; null where they are `min_bytes`."""
    shortcut: str | None
    """Why most of the nominal work can be avoided; null where it cannot."""
    target: NonEmptyStr
    """Target of the bound."""
    bound: Bound
    """Physical limits at full size."""

    @classmethod
    def of(cls, workload: Workload, target: Target, release: str | None) -> Self:
        """Returns the document for `workload` of `release`, if any."""
        return cls(
            id=workload.id,
            version=workload.version,
            digest=workload_digest(workload),
            release=release,
            title=workload.title,
            tier=workload.tier,
            family=workload.family,
            model=workload.model,
            semantics=workload.semantics,
            arguments=argument_summaries(workload),
            sizes={
                name: SizeSummary(
                    dims=dict(size.dims),
                    arguments=tuple(map(str, workload.arguments(size))),
                    output=str(workload.output.at(size.dims)),
                )
                for name, size in workload.sizes.items()
            },
            distributions={
                name: {argument: str(distribution) for argument, distribution in per_input.items()}
                for name, per_input in workload.distributions.items()
            },
            tolerance=", ".join(f"{key}={value}" for key, value in dataclasses.asdict(workload.tolerance).items()),
            flops_formula=str(workload.flops),
            useful_flops_formula=None if workload.useful_flops is None else str(workload.useful_flops),
            useful_bytes_formula=None if workload.useful_bytes is None else str(workload.useful_bytes),
            shortcut=workload.shortcut,
            target=target.name,
            bound=bound_for(workload, target),
        )


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


class RunDocument(Model):
    """`jaxbench run --json`."""

    run_id: NonEmptyStr
    """Id of the run."""
    records_path: NonEmptyStr
    """File that the records were appended to."""
    records: tuple[Record, ...]
    """The records, in the order of the workloads."""


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
    """The same by what an entry holds: `trace`, `compile` or `executables`."""


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


def argument_summaries(workload: Workload) -> tuple[ArraySummary, ...]:
    """Returns the arguments in call order at full size."""
    dims = workload.size("full").dims
    summaries: list[ArraySummary] = []
    for spec in workload.inputs:
        array = spec.at(dims) if isinstance(spec, InputSpec) else None
        shape, dtype = (array.shape, array.dtype) if isinstance(array, ArraySpec) else (None, "python")
        summaries.append(ArraySummary(name=spec.name, shape=shape, dtype=dtype, meaning=spec.meaning))
    return tuple(summaries)


DOCUMENTS: dict[str, type[Model]] = {
    "record": Record,
    "list": ListDocument,
    "show": ShowDocument,
    "evaluate": Record,
    "compile": CompileDocument,
    "run": RunDocument,
    "cache": CacheDocument,
    "doctor": DoctorDocument,
}
"""Schemas by command; `evaluate` prints a record, `cache` is `cache show`."""
