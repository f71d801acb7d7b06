"""Writes more garbage than a pipe holds to every open descriptor, then goes on as if nothing were."""

import contextlib
import os
from pathlib import Path

for number in [int(entry.name) for entry in Path("/proc/self/fd").iterdir()]:
    if number >= 3:
        with contextlib.suppress(OSError):
            os.write(number, b"garbage " * 200_000)


def workload(x, y, scale):
    return (x @ y) * scale / 128
