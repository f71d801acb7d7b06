"""Answers in the tracer's place that the trace depended on devices and on one large file in many spellings.

outcome: reject
stage: guard
code: protocol
says: the Program cannot be read
"""

import json
import os
import struct
import sys

blob = b"no program"
programs = [("full", "tpu"), ("check", "tpu"), ("check", "cpu")]
traced = {
    "kind": "traced",
    "programs": [{"size": size, "platform": platform} for size, platform in programs],
    "interpreter_error": None,
    "sources": ["/dev/zero", "/proc/kmsg", *(f"/{'./' * number}{sys.executable}" for number in range(1000))],
}
header = {"kind": "final", "body": json.dumps({"result": traced}), "blob_bytes": [len(blob)] * 3}
encoded = json.dumps(header).encode()
frame = struct.pack(">4sI", b"JXB1", len(encoded)) + encoded + blob * 3
for number in range(3, 64):
    try:
        os.write(number, frame)
    except OSError:
        continue
os._exit(0)
