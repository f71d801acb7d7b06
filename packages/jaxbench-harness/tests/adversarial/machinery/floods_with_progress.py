"""Tells the supervisor of its progress without end, a megabyte at a time.

outcome: reject
stage: load
code: protocol
says: a progress message has no blobs and at most 4096 characters
"""

import json
import os
import struct

header = json.dumps({"kind": "progress", "body": "x" * 2**20}).encode()
frame = struct.pack(">4sI", b"JXB1", len(header)) + header
numbers = []
for number in range(3, 64):
    try:
        os.fstat(number)
        numbers.append(number)
    except OSError:
        continue
try:
    while True:
        for number in numbers:
            os.write(number, frame)
except OSError:
    os._exit(0)
