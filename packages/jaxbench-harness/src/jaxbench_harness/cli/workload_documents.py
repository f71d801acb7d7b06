"""The JSON documents of `jaxbench list` and `jaxbench show`: what there is to know of a workload."""

import dataclasses
import functools
import inspect
import textwrap
from collections.abc import Callable
from typing import Any, Literal, Self, cast

from jaxbench_harness.bounds import bound_for
from jaxbench_harness.digests import workload_digest
from jaxbench_harness.published import PublishedTime, PublishedTimes
from jaxbench_harness.records import Bound, Model
from jaxbench_harness.records.base import AnyFloat, NonEmptyStr, Sha256
from jaxbench_harness.registry import releases_of
from jaxbench_harness.releases import AuditSummary, Release
from jaxbench_harness.targets import TARGETS, get_target
from jaxbench_harness.workload import ArraySpec, InputSpec, Tier, Workload

BASELINES = ("xla",)
"""Roles of the baselines that every workload has."""


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
    intensity: AnyFloat
    """Useful FLOPs per useful HBM byte at full size."""
    published: PublishedTimes | None
    """Times that others have published; null when none."""

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
            intensity=bound.intensity,
            published=workload.published,
        )


class ListDocument(Model):
    """`jaxbench list --json`."""

    target: NonEmptyStr
    """Target of the bounds."""
    release: NonEmptyStr | None
    """Release that was asked for; null for the registered workloads."""
    workloads: tuple[WorkloadSummary, ...]
    """Every workload of it that was asked for, in the order that was asked for."""


class SizeSummary(Model):
    """One size of a workload."""

    dims: dict[str, int | float]
    """Named dims and constants."""
    arguments: tuple[str, ...]
    """Each argument as `dtype[extents]` or number."""
    output: str
    """The result as `dtype[extents]`."""

    @classmethod
    def of(cls, workload: Workload, name: str) -> Self:
        """Returns the size of `workload` called `name`."""
        size = workload.size(name)
        arguments, output = workload.arguments(size), workload.output.at(size.dims)
        return cls(dims=dict(size.dims), arguments=tuple(map(str, arguments)), output=str(output))


class ComparedTime(Model):
    """A published time beside the bound."""

    implementation: Literal["xla", "expert"]
    """Plain JAX compiled by XLA, or a tuned kernel."""
    target: NonEmptyStr
    """Target that was timed."""
    time_ns: float
    """Device time in nanoseconds."""
    comparable: bool
    """Whether what was timed computes what this version of the workload does."""
    bound_fraction: float | None
    """Bound on that target over the time; null where they do not compare."""
    note: str
    """How what was timed differs; empty where it does not."""

    @classmethod
    def of(cls, workload: Workload, times: PublishedTimes) -> tuple[Self, ...]:
        """Returns the times published for `workload`."""
        named: tuple[tuple[Literal["xla", "expert"], PublishedTime | None], ...] = (
            ("xla", times.xla),
            ("expert", times.expert),
        )
        bound_ns = bound_for(workload, get_target(times.target)).time_ns
        found: list[Self] = []
        for implementation, time in named:
            if time is None:
                continue
            comparable = times.comparable(time, workload.version)
            version = [] if times.version == workload.version else [f"version {times.version} was timed"]
            found.append(
                cls(
                    implementation=implementation,
                    target=times.target,
                    time_ns=time.time_ns,
                    comparable=comparable,
                    bound_fraction=bound_ns / time.time_ns if comparable else None,
                    note="; ".join([*version, *filter(None, [time.note])]),
                )
            )
        return tuple(found)


class HoldingRelease(Model):
    """A release that has frozen the workload as it is."""

    name: NonEmptyStr
    """Name of the release."""
    status: Literal["draft", "frozen"]
    """`draft` while it may still be frozen anew."""
    label: str
    """What its results are good for."""


class ShownAudit(Model):
    """What a release keeps of an audit of the workload."""

    release: NonEmptyStr
    """Name of the release."""
    stale: bool
    """Whether another state of the workload was audited than the release has frozen."""
    summary: AuditSummary | None
    """What was found; null where stale."""

    @classmethod
    def of(cls, release: Release, workload_id: str, digest: str) -> Self | None:
        """Returns the audit in `release` of a workload that it has frozen with `digest`; None where it has none."""
        summary = release.audits.get(workload_id)
        if summary is None:
            return None
        stale = summary.digest != digest
        return cls(release=release.name, stale=stale, summary=None if stale else summary)


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
    intensity: AnyFloat
    """Useful FLOPs per useful HBM byte at full size."""
    bounds: dict[str, Bound]
    """Physical limits at full size, by target."""
    published: tuple[ComparedTime, ...]
    """Times that others have published."""
    published_source: str | None
    """Where those are from and how they were measured; null when there are none."""
    releases: tuple[HoldingRelease, ...]
    """Releases that have frozen the workload as it is, newest first."""
    audit: ShownAudit | None
    """Audit in the release that was asked for, or else in the newest of `releases`; null where it has none."""
    baselines: tuple[NonEmptyStr, ...]
    """Roles of the baselines that can be evaluated."""
    reference: NonEmptyStr
    """Module and name of the reference."""
    source: NonEmptyStr
    """Source of the reference."""

    @classmethod
    def of(cls, workload: Workload, release: str | None = None) -> Self:
        """Returns the document for `workload` of `release`, if any.

        Raises:
            RegistryError: If a package registers something that is no release.
            ReleaseError: If a manifest or a file of audits is not valid.
        """
        digest = workload_digest(workload)
        bounds = {name: bound_for(workload, target) for name, target in TARGETS.items()}
        holding, reference = releases_of(workload), reference_function(workload)
        audited = [one for one in holding if release in {None, one.name}][:1]
        return cls(
            id=workload.id,
            version=workload.version,
            digest=digest,
            release=release,
            title=workload.title,
            tier=workload.tier,
            family=workload.family,
            model=workload.model,
            semantics=workload.semantics,
            arguments=argument_summaries(workload),
            sizes={name: SizeSummary.of(workload, name) for name in workload.sizes},
            distributions={
                name: {argument: str(distribution) for argument, distribution in per_input.items()}
                for name, per_input in workload.distributions.items()
            },
            tolerance=", ".join(f"{key}={value}" for key, value in dataclasses.asdict(workload.tolerance).items()),
            flops_formula=str(workload.flops),
            useful_flops_formula=None if workload.useful_flops is None else str(workload.useful_flops),
            useful_bytes_formula=None if workload.useful_bytes is None else str(workload.useful_bytes),
            shortcut=workload.shortcut,
            intensity=next(iter(bounds.values())).intensity,
            bounds=bounds,
            published=() if workload.published is None else ComparedTime.of(workload, workload.published),
            published_source=None if workload.published is None else workload.published.source,
            releases=tuple(
                HoldingRelease(name=one.name, status=one.manifest.status, label=one.label) for one in holding
            ),
            audit=next((ShownAudit.of(one, workload.id, digest) for one in audited), None),
            baselines=BASELINES,
            reference=f"{reference.__module__}.{reference.__qualname__}",
            source=textwrap.dedent(inspect.getsource(reference)),
        )


def argument_summaries(workload: Workload) -> tuple[ArraySummary, ...]:
    """Returns the arguments in call order at full size."""
    dims = workload.size("full").dims
    summaries: list[ArraySummary] = []
    for spec in workload.inputs:
        array = spec.at(dims) if isinstance(spec, InputSpec) else None
        shape, dtype = (array.shape, array.dtype) if isinstance(array, ArraySpec) else (None, "python")
        summaries.append(ArraySummary(name=spec.name, shape=shape, dtype=dtype, meaning=spec.meaning))
    return tuple(summaries)


def reference_function(workload: Workload) -> Callable[..., Any]:
    """Returns the function that the reference is made of: without what decorators and `partial` put around it."""
    reference: Any = workload.reference
    while isinstance(reference, functools.partial):
        reference = cast("Any", reference).func
    return inspect.unwrap(reference)
