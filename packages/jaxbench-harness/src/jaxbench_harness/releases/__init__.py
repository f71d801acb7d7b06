"""Releases: frozen sets of workloads inside which results compare.

A package registers its releases through the entry point group `jaxbench.releases`; what is frozen stands in a manifest.
"""

from jaxbench_harness.releases.differences import Difference, differences
from jaxbench_harness.releases.manifest import FrozenWorkload, Manifest, ReleaseError
from jaxbench_harness.releases.protocol import Protocol, current_protocol
from jaxbench_harness.releases.release import Release, freeze, load_release, snapshot

__all__ = [
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
    "snapshot",
]
