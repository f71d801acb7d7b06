"""Resource limits of a worker: those it puts on itself before it does anything else, and those watched from outside."""

import ctypes
import os
import re
import resource
import signal
import sys
from pathlib import Path

from jaxbench_harness.records import Model

MAX_FILE_BYTES = 64 * 2**20
"""Largest file that a process with candidate code may write."""


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
    """Returns the most resident memory that a process has had, files it maps included; None where Linux does not say.

    Unlike `ru_maxrss` it starts anew with the program that the process runs, so that it holds nothing of its starter.
    """
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    found = _PEAK_LINE.search(status)
    return None if found is None else int(found[1]) * 1024


def apply_limits(limits: Limits) -> None:
    """Sets the calling process's soft and hard limits and forbids core dumps."""
    wanted = [
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, limits.cpu_s),
        (resource.RLIMIT_AS, limits.address_bytes),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
    ]
    for kind, value in wanted:
        if value is None:
            continue
        _, hard = resource.getrlimit(kind)
        allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (allowed, allowed))
