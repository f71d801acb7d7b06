"""Resource limits that a worker puts on itself before it does anything else."""

import ctypes
import os
import resource
import signal
import sys

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
