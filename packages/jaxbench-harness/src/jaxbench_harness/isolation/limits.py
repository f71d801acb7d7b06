"""Resource limits of a worker: those it puts on itself before it does anything else, and those watched from outside."""

import contextlib
import ctypes
import os
import re
import resource
import signal
import sys
from pathlib import Path
from typing import Self

from jaxbench_harness.records import Model

MAX_FILE_BYTES = 64 * 2**20
"""Largest file that a process with candidate code may write."""
MAX_ANSWER_BYTES = 256 * 2**20
"""Most bytes that a process with candidate code may answer with: Programs, or an output at check size."""
_MAX_OPEN_FILES = 1024


def _most_processes() -> int:
    """XLA starts a few threads per core, which count as processes."""
    return 256 + 8 * (os.cpu_count() or 1)


class Limits(Model):
    """Limits of a worker process."""

    wall_s: float
    """Wall-clock limit; kept by the supervisor."""
    cpu_s: int | None = None
    """CPU-time limit; null for none."""
    address_bytes: int | None = None
    """Address-space limit; null for none."""
    file_bytes: int | None = None
    """Largest file that it may write; null for none."""
    resident_bytes: int | None = None
    """Limit of resident memory, kept by the supervisor; null for none."""
    open_files: int | None = None
    """Most descriptors at a time; null for none."""
    processes: int | None = None
    """Most processes and threads at a time; null for none. Kept only in a user namespace of its own."""
    answer_bytes: int | None = None
    """Most bytes of its answer's blobs, kept by the supervisor; null for those of the channel."""

    @classmethod
    def for_candidates(cls, wall_s: float, address_bytes: int, resident_bytes: int) -> Self:
        """Returns the limits of a process that runs candidate code."""
        return cls(
            wall_s=wall_s,
            cpu_s=int(4 * wall_s) + 1,
            address_bytes=address_bytes,
            file_bytes=MAX_FILE_BYTES,
            resident_bytes=resident_bytes,
            open_files=_MAX_OPEN_FILES,
            processes=_most_processes(),
            answer_bytes=MAX_ANSWER_BYTES,
        )


_PEAK_LINE = re.compile(r"^VmHWM:\s*(\d+) kB$", re.MULTILINE)

_PR_SET_PDEATHSIG = 1
"""From Linux's prctl.h."""


def die_with_parent(parent: int) -> None:
    """Has the kernel kill this process when the one that started it ends, on Linux; elsewhere does nothing.

    Args:
        parent: Process id of the starter, which may have ended already.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)


def peak_resident_bytes(process: int) -> int | None:
    """Returns the most resident memory that a process or one of its descendants has had, files it maps included.

    Unlike `ru_maxrss` it starts anew with the program that a process runs, so that it holds nothing of its starter. The
    largest counts, not the sum: forked processes share most of their pages. None where Linux does not say.
    """
    largest = _peak_of(process)
    pending = list(_children(process))
    while pending and largest is not None:
        descendant = pending.pop()
        largest = max(largest, _peak_of(descendant) or 0)
        pending += _children(descendant)
    return largest


def _peak_of(process: int) -> int | None:
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    found = _PEAK_LINE.search(status)
    return None if found is None else int(found[1]) * 1024


def _children(process: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{process}/task").iterdir():
            with contextlib.suppress(OSError):
                found += map(int, (thread / "children").read_text(encoding="ascii").split())
    return found


def apply_limits(limits: Limits) -> None:
    """Sets the calling process's soft and hard limits and forbids core dumps."""
    wanted = [
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, limits.cpu_s),
        (resource.RLIMIT_AS, limits.address_bytes),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_NPROC, limits.processes),
    ]
    for kind, value in wanted:
        if value is None:
            continue
        _, hard = resource.getrlimit(kind)
        allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (allowed, allowed))
