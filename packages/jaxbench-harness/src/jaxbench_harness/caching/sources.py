"""Files that a cached result depends on, by path and digest.

A process that ran candidate code has named them: any path, any number of times, in any spelling.
"""

import hashlib
import os
import stat
from collections.abc import Collection, Mapping
from pathlib import Path

MAX_FILES = 20_000
"""Most files; all modules that Tokamax and JAX consist of are some 3000."""
MAX_BYTES = 64 * 2**20
"""Most bytes of all files together; the modules of the packages in this workspace have 1 MB."""


def digests_of(paths: Collection[str]) -> dict[str, str] | None:
    """Returns the SHA-256 of each file by path.

    None where one is no readable regular file, or where they are more or larger than modules of packages are.
    """
    if len(paths) > MAX_FILES:
        return None
    found: dict[str, str] = {}
    left = MAX_BYTES
    for path in paths:
        content = _content(path, left)
        if content is None:
            return None
        left -= len(content)
        found[path] = hashlib.sha256(content).hexdigest()
    return found


def unchanged(digests: Mapping[str, str]) -> bool:
    """Returns whether all files are as they were."""
    return digests_of(digests.keys()) == digests


def _content(path: str, most: int) -> bytes | None:
    try:
        # To open a device can do something; to open a named pipe waits for its writer.
        if not stat.S_ISREG(Path(path).stat().st_mode):
            return None
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as stream:
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > most:
                return None
            content = stream.read(most + 1)
    except (OSError, ValueError):
        return None
    return content if len(content) <= most else None
