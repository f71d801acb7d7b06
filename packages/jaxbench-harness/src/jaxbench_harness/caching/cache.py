"""Results on disk by the digest of all that they depend on: one file each, verified when read, bounded together."""

import contextlib
import hashlib
import json
import logging
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Literal, Self

import platformdirs
from pydantic import ValidationError

from jaxbench_harness.isolation.channel import ChannelError, decode_request, encode_request
from jaxbench_harness.records import Model

_log = logging.getLogger(__name__)

Kind = Literal["trace", "compile", "executables", "prediction"]

DIRECTORY_VARIABLE = "JAXBENCH_CACHE_DIR"
"""Environment variable that names another folder than the platform's for the user's caches."""

MAX_BYTES = 2**30
"""Most bytes of all entries together; a trace has some 10 kB, compiled code of a workload's check some 100 kB."""

_FORMAT = b"jaxbench-cache-1\n"
_SUFFIX = ".entry"
_UNFINISHED = ".unfinished"
_ABANDONED_S = 3600.0
"""Age at which a file that was never finished is removed."""


@dataclass(frozen=True)
class Entry:
    """A file of the cache."""

    kind: str
    path: Path
    entry_bytes: int
    used_at: float
    """Seconds since the epoch."""


class Cache:
    """A folder of entries. Several processes may use it at a time.

    An entry appears whole or not at all (it is renamed into place), is verified against its digest and its model when
    read, and is removed where it does not satisfy them. Those unused for longest are removed beyond `max_bytes`. What
    the disk refuses is logged and costs an evaluation nothing but time.
    """

    def __init__(self, folder: Path, max_bytes: int = MAX_BYTES) -> None:
        self.folder = folder.absolute()
        self.max_bytes = max_bytes

    @classmethod
    def of_user(cls) -> Self:
        """Returns the cache in `JAXBENCH_CACHE_DIR`, or else in the platform's folder for caches."""
        named = os.environ.get(DIRECTORY_VARIABLE)
        return cls(Path(named) if named else platformdirs.user_cache_path("jaxbench", appauthor=False))

    def get[T: Model](self, kind: Kind, key: str, model: type[T]) -> tuple[T, list[bytes]] | None:
        """Returns what was stored under a key, or None; an entry that is damaged is removed."""
        path = self._path(kind, key)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            _log.warning("cannot read the cache entry %s: %s", path, error)
            return None
        try:
            body, blobs = _decode(content, kind, key)
            message = model.model_validate_json(body)
        except (ChannelError, ValueError, KeyError, TypeError) as error:
            reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error
            _log.warning("discarded the cache entry %s: %s", path, reason)
            _remove(path)
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return message, blobs

    def put(self, kind: Kind, key: str, message: Model, blobs: Sequence[bytes] = ()) -> None:
        """Stores a message and blobs under a key, then removes what is beyond the bound."""
        content = _encode(kind, key, message.model_dump_json(), blobs)
        if len(content) > self.max_bytes:
            _log.warning("not cached: %s has %d bytes, the cache holds %d", kind, len(content), self.max_bytes)
            return
        path = self._path(kind, key)
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write(path, content)
            self._evict()
        except OSError as error:
            _log.warning("cannot write the cache entry %s: %s", path, error)

    def entries(self) -> list[Entry]:
        """Returns all entries, those unused for longest first."""
        return sorted(self._entries(), key=lambda entry: entry.used_at)

    def clear(self) -> list[Entry]:
        """Removes all entries and returns them; other files in the folder stay."""
        entries = self.entries()
        for entry in entries:
            _remove(entry.path)
        return entries

    def _path(self, kind: Kind, key: str) -> Path:
        return self.folder / kind / f"{key}{_SUFFIX}"

    def _entries(self) -> Iterator[Entry]:
        for path in self.folder.glob(f"*/*{_SUFFIX}"):
            with contextlib.suppress(OSError):  # another process may have removed it
                status = path.stat()
                yield Entry(path.parent.name, path, status.st_size, status.st_mtime)

    def _evict(self) -> None:
        entries = self.entries()
        surplus = sum(entry.entry_bytes for entry in entries) - self.max_bytes
        for entry in entries:
            if surplus <= 0:
                break
            _remove(entry.path)
            surplus -= entry.entry_bytes
        for path in self.folder.glob(f"*/*{_UNFINISHED}"):
            with contextlib.suppress(OSError):
                if time.time() - path.stat().st_mtime > _ABANDONED_S:
                    _remove(path)


def _encode(kind: Kind, key: str, body: str, blobs: Sequence[bytes]) -> bytes:
    payload = encode_request(json.dumps({"kind": kind, "key": key, "body": body}), blobs)
    return b"".join([_FORMAT, hashlib.sha256(payload).digest(), payload])


def _decode(content: bytes, kind: Kind, key: str) -> tuple[str, list[bytes]]:
    if not content.startswith(_FORMAT):
        raise ValueError("it is of another format")
    digest, payload = content[len(_FORMAT) :][:32], content[len(_FORMAT) + 32 :]
    if hashlib.sha256(payload).digest() != digest:
        raise ValueError("its bytes are not those of its digest")
    envelope, blobs = decode_request(BytesIO(payload))
    named = json.loads(envelope)
    if (named["kind"], named["key"]) != (kind, key):
        raise ValueError(f"it is the entry of {named['kind']} {named['key']}")
    return named["body"], blobs


def _write(path: Path, content: bytes) -> None:
    descriptor, name = tempfile.mkstemp(suffix=_UNFINISHED, dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        Path(name).replace(path)
    except BaseException:
        _remove(Path(name))
        raise


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)
