"""Reads the golden dumps: what libtpu 0.0.50.1 wrote for the programs of `predicted_kernels.py`, for v6e."""

import tarfile
from pathlib import Path

from jaxbench_predictor.dumps.reading import schedule_of

GOLDEN = Path(__file__).parents[1] / "golden"


def files(name):
    with tarfile.open(GOLDEN / f"{name}.tar.xz") as archive:
        return {member.name: archive.extractfile(member).read().decode() for member in archive}


def schedule(name):
    return schedule_of(files(name))
