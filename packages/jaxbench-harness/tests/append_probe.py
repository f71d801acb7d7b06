"""Appends numbered copies of the first golden record to a file: `append_probe.py PATH WRITER COUNT`."""

import sys
from pathlib import Path

from jaxbench_harness.store import append_record, read_records

path, writer, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
record = next(read_records(Path(__file__).parent / "golden" / "record-v2.jsonl"))
sys.stdin.readline()  # every writer starts when all are ready
for number in range(count):
    append_record(path, record.model_copy(update={"evaluation_id": f"{writer}-{number}" + "x" * 5000}))
