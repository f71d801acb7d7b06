"""Sources of candidates beside their records. The store of records itself imports no JAX, which candidates need."""

import logging
import tempfile
from pathlib import Path

from jaxbench_harness.candidate import Candidate

_log = logging.getLogger(__name__)

SOURCES = "sources"
"""Folder of a results folder in which candidates are kept by their digest."""


def keep_source(folder: Path, candidate: Candidate) -> None:
    """Keeps the files of a candidate beside its records, once, in `sources/<digest>`, so that people can read them.

    What the disk refuses is logged; a record does not depend on it.

    Args:
        folder: The results folder.
        candidate: Whose files.
    """
    place = folder / SOURCES / candidate.digest
    if place.exists():
        return
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=".unfinished-") as scratch:
            for name, content in candidate.files.items():
                path = Path(scratch, "files", name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            Path(scratch, "files").rename(place)
    except OSError as error:
        if not place.exists():  # another process may have kept it meanwhile
            _log.warning("the source of %s is not kept in %s: %s", candidate.name, place, error.strerror or error)
