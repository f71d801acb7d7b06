"""Sends a progress message with two gigabytes behind it, which the supervisor would have to hold.

outcome: reject
stage: load
code: protocol
says: a progress message has no blobs
"""

import json
import os
import struct

size = 2**31 - 1
header = json.dumps({"kind": "progress", "body": "load", "blob_bytes": [size]}).encode()
frame = struct.pack(">4sI", b"JXB1", len(header)) + header
chunk = bytes(2**20)
for number in range(3, 64):
    try:
        os.write(number, frame)
        while True:
            os.write(number, chunk)
    except OSError:
        continue
os._exit(0)
