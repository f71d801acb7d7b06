"""Candidate: the source that is judged. Read as bytes, never imported here."""

import errno
import hashlib
import inspect
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from jaxbench_harness.records import CandidateRef, Method, one_line
from jaxbench_harness.workload import Workload

ENTRY_POINT = "workload"
MAX_SOURCE_BYTES = 2 * 2**20
"""Most bytes that the files of a candidate, and their names, may have together; a hand-written kernel has thousands."""
MAX_NAME_CHARACTERS = 200
_SUFFIXES = (".py", ".json")


class CandidateError(ValueError):
    """A candidate that cannot be read."""


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """Source that defines `workload(*inputs)`.

    Attributes:
        name: Display name.
        files: Contents by relative POSIX path: Python, and JSON that it reads.
        main: The file that defines the entry point.
        entry_point: Name of the function; `workload` unless it is a baseline made from a reference.
        role: `candidate`, or the baseline that it is.
        method: How it was produced, if stated.
    """

    name: str
    files: Mapping[str, bytes]
    main: str
    entry_point: str = ENTRY_POINT
    role: str = "candidate"
    method: Method | None = None

    def __post_init__(self) -> None:
        """Refuses what could leave a candidate's folder or mean two things, and sources past the size limit."""
        if one_line(self.name, limit=MAX_NAME_CHARACTERS) != self.name:
            raise CandidateError(
                f"{self.name[:MAX_NAME_CHARACTERS]!r}: the name of a candidate is one line of 1 to "
                f"{MAX_NAME_CHARACTERS} printable characters"
            )
        for path in self.files:
            pure = PurePosixPath(path)
            if pure.is_absolute() or ".." in pure.parts or not path.isprintable() or pure.suffix not in _SUFFIXES:
                raise CandidateError(f"{path!r}: files of a candidate are relative .py or .json paths without '..'")
            if path != str(pure):
                raise CandidateError(f"{path!r}: write it {str(pure)!r}; two spellings would be one file")
            if folder := next((str(parent) for parent in pure.parents if str(parent) in self.files), None):
                raise CandidateError(f"{path!r}: {folder!r} cannot be a file and a folder")
        if self.main not in self.files:
            raise CandidateError(f"main file {self.main!r} is not among the files {sorted(self.files)}")
        if PurePosixPath(self.main).suffix != ".py":
            raise CandidateError(f"main file {self.main!r} is no .py file")
        total = sum(map(len, (*self.files, *self.files.values())))
        if total > MAX_SOURCE_BYTES:
            raise CandidateError(f"{self.name}: source has {total} bytes, the limit is {MAX_SOURCE_BYTES}")

    @property
    def digest(self) -> str:
        """SHA-256 over entry point and files; every field is preceded by its length."""
        sha = hashlib.sha256()
        parts = [self.main.encode(), self.entry_point.encode()]
        for path in sorted(self.files):
            parts += [path.encode(), self.files[path]]
        for part in parts:
            sha.update(len(part).to_bytes(8, "big"))
            sha.update(part)
        return sha.hexdigest()

    def ref(self) -> CandidateRef:
        """Returns what a record keeps of the candidate."""
        return CandidateRef.model_validate(
            {"name": self.name, "digest": self.digest, "role": self.role, "method": self.method}
        )


def read_candidate(path: Path, *, method: Method | None = None) -> Candidate:
    """Reads a candidate from one Python file.

    Raises:
        CandidateError: If there is no such readable file, or it is too large. The message names the file.
    """
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(status.st_mode):
            raise CandidateError(f"cannot read {path}: not a regular file")
        if status.st_size > MAX_SOURCE_BYTES:
            raise CandidateError(f"{path}: has {status.st_size} bytes, the limit is {MAX_SOURCE_BYTES}")
        source = path.read_bytes()
    except OSError as error:
        raise CandidateError(f"cannot read {path}: {error.strerror or error}") from error
    name = one_line(path.stem, limit=100)
    return Candidate(name=name, files={"candidate.py": source}, main="candidate.py", method=method)


def xla_baseline(workload: Workload) -> Candidate:
    """Returns the `xla` baseline: the module of the workload's reference, judged like any other source."""
    module_file = inspect.getsourcefile(workload.reference)
    if module_file is None:
        raise CandidateError(f"{workload.id}: the reference has no source file, so it cannot be a baseline")
    return Candidate(
        name="xla",
        files={"reference.py": Path(module_file).read_bytes()},
        main="reference.py",
        entry_point=workload.reference.__name__,
        role="xla",
    )
