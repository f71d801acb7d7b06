"""Announces a Program of a kilobyte, sends ten bytes of it, and ends."""

import contextlib
import os
import struct
from pathlib import Path

header = b'{"kind":"final","body":"{}","blob_bytes":[1024]}'
for number in [int(entry.name) for entry in Path("/proc/self/fd").iterdir()]:
    if number >= 3:
        with contextlib.suppress(OSError):
            os.write(number, struct.pack(">4sI", b"JXB1", len(header)) + header + bytes(10))
os._exit(0)
