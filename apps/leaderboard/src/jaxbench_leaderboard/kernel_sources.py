"""Sources of candidates, where they were kept beside the records, and what differs between two of them."""

import difflib
import logging
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from jaxbench_analysis.loading import PUBLISHED
from jaxbench_analysis.shipped import results_path

_log = logging.getLogger(__name__)

FOLDER, ARCHIVE = "sources", "sources.zip"
"""Folder, or archive, in a results folder. It has one folder per candidate, named by its digest, with its files."""

_DIGEST = re.compile(r"[0-9a-f]{64}")
_MOST_BYTES = 2 * 2**20
"""As much as the harness accepts of one candidate."""


def find_source(places: Sequence[str], digest: str | None) -> dict[str, str] | None:
    """Returns the files of a candidate by their paths; None where no place has them.

    Args:
        places: Where results were read from.
        digest: Digest of the candidate. That the files are those that have it is not verified.
    """
    if digest is None or not _DIGEST.fullmatch(digest):
        return None
    for place in places:
        if place != PUBLISHED:
            root = results_path(place)
            results = root if root.is_dir() else root.parent
            if files := _of_folder(results / FOLDER / digest) or _of_archive(results / ARCHIVE, digest):
                return files
    return None


def _of_folder(folder: Path) -> dict[str, str]:
    files = [path for path in sorted(folder.rglob("*.py")) if path.is_file()]
    if sum(path.stat().st_size for path in files) > _MOST_BYTES:
        return {}
    return {path.relative_to(folder).as_posix(): _text(path.read_bytes()) for path in files}


def _of_archive(path: Path, digest: str) -> dict[str, str]:
    if not path.is_file():
        return {}
    folder = f"{digest}/"
    try:
        with zipfile.ZipFile(path) as archive:
            files = [one for one in archive.infolist() if one.filename.startswith(folder)]
            files = [one for one in files if one.filename.endswith(".py")]
            if sum(one.file_size for one in files) > _MOST_BYTES:
                return {}
            return {one.filename.removeprefix(folder): _text(archive.read(one)) for one in files}
    except (zipfile.BadZipFile, OSError, RuntimeError) as error:  # the last is what an encrypted one raises
        _log.warning("%s: no sources are read from it: %s", path, error)
        return {}


def joined(files: dict[str, str]) -> str:
    """Returns the files of a candidate as one text; of several, each under its name, what no other names first."""
    if len(files) == 1:
        return next(iter(files.values()))
    ordered = sorted(files, key=lambda name: (_module(name) == "__init__", _is_named(name, files), name))
    return "\n".join(f"# ---- {name}\n{files[name]}" for name in ordered)


def _module(name: str) -> str:
    return PurePosixPath(name).stem


def _is_named(name: str, files: dict[str, str]) -> bool:
    """Returns whether another file has the name of this module in it, as one that imports it does."""
    word = re.compile(rf"\b{re.escape(_module(name))}\b")
    return any(word.search(content) for other, content in files.items() if other != name)


def difference(a: str, b: str, *, a_name: str, b_name: str) -> str:
    """Returns a unified diff of two sources; empty where they are equal."""
    lines = difflib.unified_diff(a.splitlines(), b.splitlines(), a_name, b_name, lineterm="")
    return "\n".join(lines)


def _text(content: bytes) -> str:
    return content.decode("utf-8", errors="replace")
