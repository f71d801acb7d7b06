"""Leaves its ids beside itself wherever it is imported, if it can; MARKER is put in by the test."""

import contextlib
import os
import pathlib
import sys

sys.modules["jaxbench_was_here"] = sys.modules[__name__]
with contextlib.suppress(OSError), pathlib.Path(MARKER).open("a") as marker:  # noqa: F821
    marker.write(f"{os.getpid()}\n")


def workload(A, B):
    return A @ B
