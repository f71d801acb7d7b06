"""Release: workloads under a name, and what was frozen of them."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from jaxbench_harness.records import ResolvedConfig
from jaxbench_harness.releases.audits import AuditSummary, read_audits
from jaxbench_harness.releases.differences import differences, workload_differences
from jaxbench_harness.releases.files import ReleaseError
from jaxbench_harness.releases.manifest import FrozenWorkload, Manifest, read_manifest, write_manifest
from jaxbench_harness.releases.protocol import current_protocol
from jaxbench_harness.workload import Workload

_DRAFT_SUFFIX = "-draft"
_ALWAYS_NOTED = ("jaxbench-harness", "jax", "jaxlib")


@dataclass(frozen=True, kw_only=True)
class Release:
    """A set of workloads inside which results compare.

    Attributes:
        name: Such as `2026.12`.
        label: What its results are good for, in one line.
        failure_proof: Whether its inputs are made to reject wrong answers. Evaluations that ask for no release are
            recorded under the newest release that is.
        workloads: Its workloads as the code has them, in order.
        packages: Distributions that define the workloads; their versions are noted when it is frozen.
        path: File of the manifest.
        frozen: The manifest: digests, protocol, versions and date; None if it was never frozen.
        audits: What audits found, by workload id; possibly of other states of a workload than the frozen one.
    """

    name: str
    label: str
    failure_proof: bool
    workloads: tuple[Workload, ...]
    packages: tuple[str, ...]
    path: Path
    frozen: Manifest | None
    audits: Mapping[str, AuditSummary] = field(default_factory=dict[str, AuditSummary], hash=False)

    def __post_init__(self) -> None:
        """Refuses names that would be mistaken for a draft, and the manifest of another release."""
        if self.name.endswith(_DRAFT_SUFFIX):
            raise ReleaseError(f"release {self.name!r}: records of drafts end in {_DRAFT_SUFFIX!r}, names may not")
        if self.frozen is not None and self.frozen.name != self.name:
            raise ReleaseError(f"{self.path} is the manifest of {self.frozen.name!r}, not of {self.name!r}")

    @property
    def manifest(self) -> Manifest:
        """What was frozen. Raises ReleaseError if nothing was."""
        if self.frozen is None:
            raise ReleaseError(f"release {self.name} was never frozen; `jaxbench release freeze {self.name}` does it")
        return self.frozen

    @property
    def recorded_name(self) -> str:
        """The name in records: that of a draft says so, since its digests may still change."""
        return self.name if self.manifest.status == "frozen" else self.name + _DRAFT_SUFFIX

    def require_unchanged(self, workload: Workload) -> None:
        """Checks that a workload of this release and the protocol are what was frozen.

        Raises:
            ReleaseError: If not, naming what changed and what to do.
        """
        frozen, now = self.manifest.workload(workload.id), FrozenWorkload.of(workload)
        if frozen is None:
            raise ReleaseError(f"{workload.id} was added after release {self.name} was frozen; {self._remedy()}")
        if frozen.digest != now.digest:
            parts = ", ".join(difference.what for difference in workload_differences(frozen, now))
            raise ReleaseError(
                f"{workload.id} is not what release {self.name} froze: {parts} changed, "
                f"digest {now.digest[:12]} now, {frozen.digest[:12]} frozen; {self._remedy()}"
            )
        if self.manifest.protocol != current_protocol():
            only_protocol = self.manifest.model_copy(update={"protocol": current_protocol()})
            first = differences(self.manifest, only_protocol)[0]
            raise ReleaseError(f"release {self.name}: {first}; {self._remedy()}")

    def require_protocol(self, config: ResolvedConfig) -> None:
        """Checks that a config does not contradict the protocol. Raises ReleaseError naming the setting."""
        contradiction = self.manifest.protocol.contradiction(config)
        if contradiction is not None:
            raise ReleaseError(
                f"{contradiction} as in release {self.name}; leave the option out, or evaluate outside a release"
            )

    def _remedy(self) -> str:
        if self.manifest.status == "draft":
            return f"freeze the draft anew with `jaxbench release freeze {self.name} --replace`"
        packages = dict.fromkeys(("jaxbench-harness", *self.packages))
        wanted = ", ".join(f"{name} {self.manifest.versions[name]}" for name in packages)
        return f"install {wanted}, or make a new release"


def load_release(
    name: str,
    *,
    label: str,
    failure_proof: bool,
    workloads: Sequence[Workload],
    packages: Sequence[str],
    folder: Path,
) -> Release:
    """Returns a release whose manifest, once there is one, is `<name>.json` in `folder`, audits beside it.

    Raises:
        ReleaseError: If the manifest or the file of audits is not valid.
    """
    path = folder / f"{name}.json"
    return Release(
        name=name,
        label=label,
        failure_proof=failure_proof,
        workloads=tuple(workloads),
        packages=tuple(packages),
        path=path,
        frozen=read_manifest(path),
        audits=read_audits(path),
    )


def snapshot(release: Release, status: Literal["draft", "frozen"] = "draft") -> Manifest:
    """Returns the manifest that freezing the release now would write."""
    noted = (*_ALWAYS_NOTED, *release.packages)
    return Manifest(
        name=release.name,
        status=status,
        date=datetime.now(UTC).date(),
        versions={"python": platform.python_version()} | {name: version(name) for name in noted},
        protocol=current_protocol(),
        workloads=tuple(FrozenWorkload.of(workload) for workload in release.workloads),
    )


def freeze(release: Release, *, replace: bool = False, final: bool = False) -> Manifest:
    """Writes the manifest of a release.

    Args:
        release: The release.
        replace: Whether to overwrite a manifest that is a draft.
        final: Whether the release can never be frozen again; otherwise it stays a draft.

    Returns:
        What was written.

    Raises:
        ReleaseError: If there is a manifest already that may not be replaced, or it cannot be written.
    """
    existing = read_manifest(release.path)
    if existing is not None and existing.status == "frozen":
        raise ReleaseError(f"release {release.name} was frozen on {existing.date}; make one with another name")
    if existing is not None and not replace:
        raise ReleaseError(f"release {release.name} is a draft of {existing.date}; --replace freezes it anew")
    manifest = snapshot(release, "frozen" if final else "draft")
    write_manifest(release.path, manifest, replace=replace)
    return manifest
