"""Answers in the worker's place, twice."""

import os
import struct

header = b'{"kind":"final","body":"{}"}'
frame = struct.pack(">4sI", b"JXB1", len(header)) + header
for number in map(int, os.listdir("/proc/self/fd")):
    try:
        if number >= 3:
            os.write(number, frame * 2)
    except OSError:
        continue
os._exit(0)
