"""Answers in the worker's place with a Program that it does not send."""

import os
import struct

header = (
    b'{"kind":"final","body":"{\\"result\\":{\\"kind\\":\\"traced\\",\\"programs\\":[{\\"size\\":\\"full\\",'
    b'\\"platform\\":\\"tpu\\"}],\\"interpreter_error\\":null}}"}'
)
for number in map(int, os.listdir("/proc/self/fd")):
    try:
        if number >= 3:
            os.write(number, struct.pack(">4sI", b"JXB1", len(header)) + header)
    except OSError:
        continue
os._exit(0)
