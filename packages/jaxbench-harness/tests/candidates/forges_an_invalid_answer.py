"""Answers in the worker's place with a Program that it does not send."""

import contextlib
import os
import struct
from pathlib import Path

header = (
    b'{"kind":"final","body":"{\\"result\\":{\\"kind\\":\\"traced\\",\\"programs\\":[{\\"size\\":\\"full\\",'
    b'\\"platform\\":\\"tpu\\"}],\\"interpreter_error\\":null,\\"sources\\":[]}}"}'
)
for number in [int(entry.name) for entry in Path("/proc/self/fd").iterdir()]:
    if number >= 3:
        with contextlib.suppress(OSError):
            os.write(number, struct.pack(">4sI", b"JXB1", len(header)) + header)
os._exit(0)
