"""What cached results depend on, and the digest of it. A key that leaves something out serves stale results."""

import functools
import hashlib
import importlib.util
import json
import os
import platform
import sys
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path

_CPU_FACTS = frozenset({
    "vendor_id", "cpu family", "model", "model name", "flags",
    "CPU implementer", "CPU architecture", "CPU variant", "CPU part", "Features",
})  # fmt: skip
"""Lines of Linux's /proc/cpuinfo that compiled code may depend on."""


def key_of(**parts: object) -> str:
    """Returns the SHA-256 of JSON values by name, as 64 hexadecimal digits."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, allow_nan=False).encode()).hexdigest()


@functools.cache
def code_digest(package_name: str = "jaxbench_harness") -> str:
    """Returns the SHA-256 over a package's source and data, whose version does not change with every edit."""
    spec = importlib.util.find_spec(package_name)
    assert spec is not None, package_name
    assert spec.origin is not None, package_name
    package = Path(spec.origin).parent
    sha = hashlib.sha256()
    for path in sorted(path for suffix in ("py", "json") for path in package.rglob(f"*.{suffix}")):
        for part in (str(path.relative_to(package)).encode(), path.read_bytes()):
            sha.update(len(part).to_bytes(8, "big"))
            sha.update(part)
    return sha.hexdigest()


@functools.cache
def installed_packages() -> tuple[str, ...]:
    """Returns what identifies the installed code: Python, its prefix, and every distribution with its version.

    One that does not come from a registry also with where it comes from and the hashes of its files: its version may
    stay while its code changes. The code of an editable one is told by neither; see `tracing.dependencies`.
    """
    return (platform.python_version(), platform.machine(), sys.prefix, *sorted(_distributions()))


def _distributions() -> Iterator[str]:
    for distribution in distributions():
        origin = distribution.read_text("direct_url.json")
        files = distribution.read_text("RECORD") if origin else None
        yield f"{distribution.name}=={distribution.version} {origin or ''} {files or ''}"


@functools.cache
def machine() -> tuple[str, ...]:
    """Returns what code compiled for this machine depends on: kind and number of its cores."""
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count()
    return (platform.system(), platform.machine(), f"{cores} cores", *sorted(_cpu_facts()))


def _cpu_facts() -> Iterator[str]:
    try:
        first, _, _ = Path("/proc/cpuinfo").read_text(encoding="utf-8").partition("\n\n")
    except OSError:
        yield platform.processor()
        return
    for line in first.splitlines():
        name, _, value = line.partition(":")
        if name.strip() in _CPU_FACTS:
            yield f"{name.strip()}: {value.strip()}"
