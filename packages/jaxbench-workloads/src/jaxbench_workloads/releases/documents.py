"""The JSON documents that `jaxbench release` prints with `--json`."""

from typing import Self

from jaxbench_harness.records import Model
from jaxbench_harness.records.base import NonEmptyStr
from jaxbench_harness.releases import Difference, Manifest, Release


class ReleaseSummary(Model):
    """One release."""

    name: NonEmptyStr
    """Name of the release."""
    label: NonEmptyStr
    """What its results are good for."""
    failure_proof: bool
    """Whether its inputs are made to reject wrong answers."""
    workloads: int
    """How many workloads it has."""
    manifest: Manifest | None
    """What it has frozen; null if it was never frozen."""

    @classmethod
    def of(cls, release: Release) -> Self:
        """Returns the summary of `release`."""
        return cls(
            name=release.name,
            label=release.label,
            failure_proof=release.failure_proof,
            workloads=len(release.workloads),
            manifest=release.frozen,
        )


class ReleaseListDocument(Model):
    """`jaxbench release list --json`."""

    releases: tuple[ReleaseSummary, ...]
    """Every registered release."""


class Verification(Model):
    """How the code at hand compares with one release."""

    name: NonEmptyStr
    """Name of the release."""
    workloads: int
    """How many workloads were compared."""
    differences: tuple[Difference, ...]
    """What is not as it was frozen, `before` being what was; empty when all is."""


class VerifyDocument(Model):
    """`jaxbench release verify --json`."""

    releases: tuple[Verification, ...]
    """The releases that were compared."""


class DiffDocument(Model):
    """`jaxbench release diff --json`."""

    before: NonEmptyStr
    """Name of the first release."""
    after: NonEmptyStr
    """Name of the second release."""
    differences: tuple[Difference, ...]
    """What differs; empty when nothing does."""


DOCUMENTS: dict[str, type[Model]] = {
    "release-list": ReleaseListDocument,
    "release-show": ReleaseSummary,
    "release-verify": VerifyDocument,
    "release-diff": DiffDocument,
}
"""Schemas by the name that `jaxbench schema` takes."""
