"""The one pipe between a worker and its supervisor: length-prefixed frames of JSON and blobs.

Frame: 4 bytes magic, 4 bytes header length, header, then the blobs whose lengths the header lists. All integers are
big-endian. A worker sends any number of `progress` frames, then exactly one `final` frame, then closes; a
sandboxed one sends one `sandbox` frame before all others. Only the final one has blobs. Nothing
here evaluates what it reads: a frame is bytes, checked lengths and a pydantic model.
"""

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO

from pydantic import Field, ValidationError

from jaxbench_harness.records import Model

_MAGIC = b"JXB1"
_PREFIX = struct.Struct(">4sI")
MAX_HEADER_BYTES = 4 * 2**20
MAX_BLOBS = 64
MAX_FRAME_BYTES = 2 * 2**30
"""Most bytes of the blobs of a frame; check inputs and outputs are a few MB, Programs less."""
MAX_NOTE_CHARACTERS = 4096
"""Longest body of a frame that does not answer."""


class ChannelError(Exception):
    """A frame that is malformed, truncated or over a limit."""


class Header(Model):
    """What precedes the blobs of a frame."""

    kind: str = Field(pattern=r"^(sandbox|progress|final)$")
    """`sandbox` says how far what follows is confined; `progress` names a stage that begins; `final` answers."""
    body: str = ""
    """Stage name, or the sandbox or the answer as JSON text."""
    blob_bytes: tuple[int, ...] = Field(default=(), max_length=MAX_BLOBS)
    """Lengths of the blobs that follow."""


@dataclass(frozen=True)
class Frame:
    """One message."""

    kind: str
    body: str
    blobs: tuple[bytes, ...] = ()


def write_frame(stream: BinaryIO, frame: Frame) -> None:
    """Writes a frame and flushes it."""
    header = Header(kind=frame.kind, body=frame.body, blob_bytes=tuple(map(len, frame.blobs)))
    encoded = header.model_dump_json().encode()
    stream.write(_PREFIX.pack(_MAGIC, len(encoded)))
    stream.write(encoded)
    stream.writelines(frame.blobs)
    stream.flush()


def read_frame(stream: BinaryIO, max_blob_bytes: int = MAX_FRAME_BYTES) -> Frame | None:
    """Reads the next frame.

    Args:
        stream: Where from.
        max_blob_bytes: Most bytes that its blobs may have together; nothing of one with more is read.

    Returns:
        The frame, or None at a clean end of the stream.

    Raises:
        ChannelError: If the frame is malformed, truncated or over a limit.
    """
    prefix = stream.read(_PREFIX.size)
    if not prefix:
        return None
    if len(prefix) < _PREFIX.size:
        raise ChannelError(f"truncated frame: {len(prefix)} of {_PREFIX.size} prefix bytes")
    magic, header_bytes = _PREFIX.unpack(prefix)
    if magic != _MAGIC:
        raise ChannelError(f"frame starts with {magic!r}, expected {_MAGIC!r}")
    if header_bytes > MAX_HEADER_BYTES:
        raise ChannelError(f"frame header has {header_bytes} bytes, the limit is {MAX_HEADER_BYTES}")
    try:
        header = Header.model_validate_json(_read_exactly(stream, header_bytes))
    except ValidationError as error:
        raise ChannelError(f"frame header is not valid: {error.errors()[0]['msg']}") from error
    if header.kind != "final" and (header.blob_bytes or len(header.body) > MAX_NOTE_CHARACTERS):
        raise ChannelError(f"a {header.kind} message has no blobs and at most {MAX_NOTE_CHARACTERS} characters")
    if any(count < 0 for count in header.blob_bytes) or sum(header.blob_bytes) > max_blob_bytes:
        raise ChannelError(f"frame blobs have {sum(header.blob_bytes)} bytes, the limit is {max_blob_bytes}")
    return Frame(header.kind, header.body, tuple(_read_exactly(stream, count) for count in header.blob_bytes))


def _read_exactly(stream: BinaryIO, count: int) -> bytes:
    content = stream.read(count)
    if len(content) != count:
        raise ChannelError(f"truncated frame: {len(content)} of {count} bytes")
    return content


def encode_request(body: str, blobs: Sequence[bytes]) -> bytes:
    """Returns a worker's standard input: one line of JSON, then the blobs."""
    head = json.dumps({"body": body, "blob_bytes": list(map(len, blobs))}).encode()
    return b"".join([head, b"\n", *blobs])


def decode_request(stream: BinaryIO) -> tuple[str, list[bytes]]:
    """Reads what `encode_request` wrote. The supervisor is trusted, so lengths are not limited."""
    head = json.loads(stream.readline())
    return head["body"], [_read_exactly(stream, count) for count in head["blob_bytes"]]
