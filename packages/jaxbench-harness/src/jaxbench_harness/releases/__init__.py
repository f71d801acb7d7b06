"""Releases: frozen sets of workloads inside which results compare.

A package registers its releases through the entry point group `jaxbench.releases`; what is frozen stands in a manifest,
and what audits found beside it.
"""

from jaxbench_harness.releases.audits import AuditSummary, record_audits
from jaxbench_harness.releases.differences import Difference, differences
from jaxbench_harness.releases.files import ReleaseError
from jaxbench_harness.releases.manifest import FrozenWorkload, Manifest
from jaxbench_harness.releases.protocol import Protocol, current_protocol
from jaxbench_harness.releases.release import Release, freeze, load_release, snapshot

__all__ = [
    "AuditSummary",
    "Difference",
    "FrozenWorkload",
    "Manifest",
    "Protocol",
    "Release",
    "ReleaseError",
    "current_protocol",
    "differences",
    "freeze",
    "load_release",
    "record_audits",
    "snapshot",
]
