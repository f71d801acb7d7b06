"""The releases of JAXBench. What each has frozen stands in the JSON file of its name."""

from pathlib import Path

from jaxbench_harness.releases import Release, load_release
from jaxbench_workloads import WORKLOADS
from jaxbench_workloads.compat import COMPAT_WORKLOADS

__all__ = ["RELEASES"]

_FOLDER = Path(__file__).parent
_PACKAGES = ("jaxbench-workloads",)

RELEASES: tuple[Release, ...] = (
    load_release(
        "2026.12",
        label="the benchmark: repaired semantics, inputs made to reject wrong answers",
        failure_proof=True,
        workloads=WORKLOADS,
        packages=_PACKAGES,
        folder=_FOLDER,
    ),
    load_release(
        "compat-2026.12",
        label="times comparable with published ones; not failure-proof: wrong answers can pass on the public inputs",
        failure_proof=False,
        workloads=COMPAT_WORKLOADS,
        packages=_PACKAGES,
        folder=_FOLDER,
    ),
)
