"""Source files that a result depends on, by path and digest."""

import hashlib
import os
import stat
from collections.abc import Iterable, Mapping

MAX_FILE_BYTES = 64 * 2**20
"""Largest file that is read; a process that ran candidate code has named it."""


def digests_of(paths: Iterable[str]) -> dict[str, str] | None:
    """Returns the SHA-256 of each file by path, or None where one is no readable regular file of moderate size."""
    found: dict[str, str] = {}
    for path in paths:
        digest = _digest(path)
        if digest is None:
            return None
        found[path] = digest
    return found


def unchanged(digests: Mapping[str, str]) -> bool:
    """Returns whether all files are as they were."""
    return digests_of(digests) == digests


def _digest(path: str) -> str | None:
    try:
        # Opening a named pipe must not wait for its writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as stream:
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE_BYTES:
                return None
            return hashlib.sha256(stream.read(MAX_FILE_BYTES)).hexdigest()
    except (OSError, ValueError):
        return None
