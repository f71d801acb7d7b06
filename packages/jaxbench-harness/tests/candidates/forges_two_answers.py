"""Answers in the worker's place, twice."""

import contextlib
import os
import struct
from pathlib import Path

header = b'{"kind":"final","body":"{}"}'
frame = struct.pack(">4sI", b"JXB1", len(header)) + header
for number in [int(entry.name) for entry in Path("/proc/self/fd").iterdir()]:
    if number >= 3:
        with contextlib.suppress(OSError):
            os.write(number, frame * 2)
os._exit(0)
