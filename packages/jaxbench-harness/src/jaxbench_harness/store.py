"""Record files: JSON lines, append-only, one per evaluation, flushed to disk."""

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from jaxbench_harness.records import SCHEMA_VERSION, Record


class StoreError(ValueError):
    """A record file that cannot be written, or has a line that is no record of a schema this version reads."""


def prepare_record_file(path: Path) -> Path:
    """Makes the folder of a record file, so that a run does not find out at its end that it cannot write.

    Returns:
        The path.

    Raises:
        StoreError: If records cannot be appended there.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"cannot make the results folder {path.parent}: {error.strerror or error}") from error
    place = path if path.exists() else path.parent
    if not os.access(place, os.W_OK) or path.is_dir():
        raise StoreError(f"cannot append records to {path}: it is not writable; choose another --results folder")
    return path


def append_record(path: Path, record: Record) -> None:
    """Appends one record as one line and waits until it is on disk.

    A last line that was cut off by a crash is ended first, so that it cannot swallow this record; one that does not
    fit on the disk is taken back.
    """
    prepare_record_file(path)
    line = record.model_dump_json().encode() + b"\n"
    with path.open("ab+") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        end = stream.seek(0, os.SEEK_END)
        if end:
            stream.seek(end - 1)
            if stream.read(1) != b"\n":
                line = b"\n" + line
        try:
            stream.write(line)
            stream.flush()
            os.fsync(stream.fileno())
        except OSError:
            os.truncate(path, end)
            raise


def read_records(path: Path) -> Iterator[Record]:
    """Yields the records of a file in order.

    Raises:
        StoreError: At the first line that is not a valid record, naming file and line.
    """
    with path.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            if line.strip():
                yield parse_record(line, where=f"{path}:{number}")


def parse_record(line: str | bytes, *, where: str) -> Record:
    """Parses one line.

    Raises:
        StoreError: If it is no valid record, or of a newer schema; `where` names its place.
    """
    try:
        return Record.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        if first["loc"] == ("schema_version",):
            raise StoreError(
                f"{where}: schema version {first['input']!r}, this version reads {SCHEMA_VERSION}; "
                "upgrade jaxbench-harness"
            ) from error
        place = ".".join(map(str, first["loc"])) or "line"
        raise StoreError(f"{where}: not a valid record: {place}: {first['msg']}") from error
