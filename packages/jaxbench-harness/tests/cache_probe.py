"""Puts and gets the same few entries again and again and prints what is wrong: `cache_probe.py FOLDER WRITER COUNT`."""

import sys
from pathlib import Path

from jaxbench_harness.caching import Cache
from jaxbench_harness.compiling.messages import ProbeAnswer

folder, writer, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
cache = Cache(folder, max_bytes=40_000)
sys.stdin.readline()  # all start when all are ready
for number in range(count):
    key = f"{number % 5:064x}"
    cache.put("compile", key, ProbeAnswer(device_kind=f"{key}-{writer}"), [writer.encode() * 9000])
    found = cache.get("compile", key, ProbeAnswer)
    if found is not None:
        kind, (blob,) = found[0].device_kind, found[1]
        if not kind.startswith(f"{key}-") or set(blob.decode()) != {kind[-1]} or len(blob) != 9000:
            sys.stdout.write(f"{writer} got {kind} with {blob[:9]!r}\n")
