"""Answers in the tracer's place that the harness failed, so that its failure counts as nobody's.

outcome: reject
stage: load
code: protocol
says: the answer of the trace worker is not valid
"""

import json
import os
import struct

failed = {"kind": "failed", "stage": "load", "code": "internal", "reason": "a fault of the harness", "log": ""}
header = json.dumps({"kind": "final", "body": json.dumps({"result": failed})}).encode()
frame = struct.pack(">4sI", b"JXB1", len(header)) + header
for number in range(3, 64):
    try:
        os.write(number, frame)
    except OSError:
        continue
os._exit(0)
