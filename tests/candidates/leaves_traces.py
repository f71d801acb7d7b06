"""Leaves the ids of every process that imports it beside itself; MARKER is put in by the test."""

import os
import pathlib
import sys

sys.modules["jaxbench_was_here"] = sys.modules[__name__]
with pathlib.Path(MARKER).open("a") as marker:  # noqa: F821
    marker.write(f"{os.getpid()} {os.getppid()}\n")


def workload(A, B):
    return A @ B
