"""Manifest: what a release has frozen, as a JSON file."""

from datetime import date
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from jaxbench_harness.digests import part_digests, workload_digest
from jaxbench_harness.records import Model
from jaxbench_harness.records.base import ByteCount, NonEmptyStr, Sha256
from jaxbench_harness.releases.files import read_document, write_document
from jaxbench_harness.releases.protocol import Protocol
from jaxbench_harness.workload import Workload

_PART_DIGITS = 16

PartDigest = Annotated[str, Field(pattern=rf"^[0-9a-f]{{{_PART_DIGITS}}}$")]
ReleaseName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$", max_length=60)]


class FrozenWorkload(Model):
    """One workload of a release."""

    id: NonEmptyStr
    """Workload id."""
    version: Annotated[int, Field(ge=1)]
    """Workload version."""
    digest: Sha256
    """Content digest of the definition."""
    parts: dict[NonEmptyStr, PartDigest]
    """First digits of the digests of its parts, to tell what changed."""
    nominal_flops: Annotated[int, Field(ge=0)]
    """FLOPs at full size by the published convention."""
    useful_flops: Annotated[int, Field(ge=0)]
    """FLOPs at full size that no kernel can do without."""
    nominal_bytes: ByteCount
    """Every input read once and the output written once, at full size."""
    useful_bytes: ByteCount
    """HBM bytes at full size that no kernel can do without."""
    shortcut: str | None
    """Why most of the nominal work can be avoided; null where it cannot."""

    @classmethod
    def of(cls, workload: Workload) -> Self:
        """Returns what freezing `workload` keeps of it."""
        full = workload.size("full")
        return cls(
            id=workload.id,
            version=workload.version,
            digest=workload_digest(workload),
            parts={part: digest[:_PART_DIGITS] for part, digest in part_digests(workload).items()},
            nominal_flops=workload.flop_count(full),
            useful_flops=workload.useful_flop_count(full),
            nominal_bytes=workload.min_bytes(full),
            useful_bytes=workload.useful_byte_count(full),
            shortcut=workload.shortcut,
        )


class Manifest(Model):
    """What a release has frozen."""

    manifest_version: Literal[1] = 1
    """Version of this format."""
    name: ReleaseName
    """Name of the release."""
    status: Literal["draft", "frozen"]
    """`draft` while it may still be frozen anew."""
    date: date
    """When it was frozen, UTC."""
    versions: dict[NonEmptyStr, NonEmptyStr]
    """Versions of Python and of the packages that it was frozen with."""
    protocol: Protocol
    """How its candidates are judged."""
    workloads: tuple[FrozenWorkload, ...]
    """Its workloads in order."""

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        ids = [workload.id for workload in self.workloads]
        twice = sorted({workload_id for workload_id in ids if ids.count(workload_id) > 1})
        if twice:
            raise ValueError(f"lists {', '.join(twice)} more than once")
        return self

    def workload(self, workload_id: str) -> FrozenWorkload | None:
        """Returns what was frozen of a workload; None if the release does not have it."""
        return next((workload for workload in self.workloads if workload.id == workload_id), None)


def read_manifest(path: Path) -> Manifest | None:
    """Reads a manifest; None if there is no such file.

    Raises:
        ReleaseError: If the file is no valid manifest, naming the first fault.
    """
    return read_document(path, Manifest, "manifest")


def write_manifest(path: Path, manifest: Manifest, *, replace: bool) -> None:
    """Writes a manifest at once or not at all.

    Raises:
        ReleaseError: If it cannot be written, or there is one and `replace` is false.
    """
    write_document(path, manifest, replace=replace)
