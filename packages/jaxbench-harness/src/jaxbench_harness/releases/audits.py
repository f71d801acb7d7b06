"""What an audit found of the workloads of a release, in a file beside its manifest."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, FiniteFloat

from jaxbench_harness.records import Model
from jaxbench_harness.records.base import AnyFloat, NonEmptyStr, Sha256
from jaxbench_harness.releases.files import read_document, write_document

_Count = Annotated[int, Field(ge=0)]
_Noise = Annotated[FiniteFloat, Field(ge=0)]


class AuditSummary(Model):
    """The audit of one workload: what became of wrong answers, and how near honest ones came to a limit."""

    digest: Sha256
    """Content digest of the workload that was audited."""
    size: NonEmptyStr
    """Size of the inputs."""
    seeds: Annotated[int, Field(ge=1)]
    """Seeds, each drawn with every input distribution."""
    rejected: _Count
    """Wrong answers that the check rejected."""
    equivalent: _Count
    """Answers that were not wrong after all."""
    below_noise: _Count
    """Wrong answers no further off than the reference in its native dtypes, so that they cannot be told apart."""
    labelled: tuple[NonEmptyStr, ...]
    """Wrong answers that pass for a stated reason: `answer: reason`."""
    accepted: _Count
    """Wrong answers that pass and should not."""
    honest_share: AnyFloat
    """Largest share of a limit that an honest answer used; above 1 it was refused."""
    noise_low: _Noise
    """RMS error of the native reference over the standard deviation of the output: the smallest of all draws."""
    noise_high: _Noise
    """The largest of all draws."""

    @property
    def clean(self) -> bool:
        """Whether nothing wrong passed without a label and no honest answer was refused."""
        return not self.accepted and self.honest_share <= 1


class Audits(Model):
    """File of audit summaries."""

    audits: dict[NonEmptyStr, AuditSummary]
    """By workload id."""


def audits_path(manifest_path: Path) -> Path:
    """Returns the file of the audits of the release whose manifest is `manifest_path`."""
    return manifest_path.with_name(f"{manifest_path.stem}.audit.json")


def read_audits(manifest_path: Path) -> dict[str, AuditSummary]:
    """Reads the audits of a release by workload id; none if there is no such file.

    Raises:
        ReleaseError: If the file is not valid, naming the first fault.
    """
    found = read_document(audits_path(manifest_path), Audits, "file of audits")
    return {} if found is None else found.audits


def record_audits(manifest_path: Path, summaries: Mapping[str, AuditSummary]) -> Path:
    """Adds audits to those of a release, in place of earlier ones of the same workloads; at once or not at all.

    Returns:
        The file that was written.

    Raises:
        ReleaseError: If the file there is not valid, or cannot be written.
    """
    path = audits_path(manifest_path)
    merged = read_audits(manifest_path) | dict(summaries)
    write_document(path, Audits(audits=dict(sorted(merged.items()))), replace=True)
    return path
