"""Announces an answer of 4 GiB."""

import contextlib
import os
import struct
from pathlib import Path

for number in [int(entry.name) for entry in Path("/proc/self/fd").iterdir()]:
    if number >= 3:
        with contextlib.suppress(OSError):
            os.write(number, struct.pack(">4sI", b"JXB1", 2**32 - 1))
os._exit(0)
