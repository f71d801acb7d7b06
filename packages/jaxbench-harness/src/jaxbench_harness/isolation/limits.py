"""Resource limits that a worker puts on itself before it does anything else."""

import resource

from jaxbench_harness.records import Model


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
