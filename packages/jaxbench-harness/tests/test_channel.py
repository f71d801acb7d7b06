import io
import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxbench_harness.isolation.channel import (
    MAX_BLOBS,
    MAX_FRAME_BYTES,
    MAX_HEADER_BYTES,
    MAX_NOTE_CHARACTERS,
    ChannelError,
    Frame,
    decode_request,
    encode_request,
    read_frame,
    write_frame,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
BLOBS = st.lists(st.binary(max_size=50), max_size=5).map(tuple)
FRAMES = st.builds(Frame, st.sampled_from(["sandbox", "progress"]), TEXT) | st.builds(
    Frame, st.just("final"), TEXT, BLOBS
)


def _written(*frames):
    stream = io.BytesIO()
    for frame in frames:
        write_frame(stream, frame)
    return stream.getvalue()


def _raw(header, blobs=b"", magic=b"JXB1", length=None):
    return struct.pack(">4sI", magic, len(header) if length is None else length) + header + blobs


def _read_all(content):
    stream, found = io.BytesIO(content), []
    while (frame := read_frame(stream)) is not None:
        found.append(frame)
    return found


@given(frames=st.lists(FRAMES, max_size=4))
def test_frames_come_back_in_order(frames):
    assert _read_all(_written(*frames)) == frames


@given(frame=FRAMES, data=st.data())
def test_a_frame_cut_anywhere_is_an_error(frame, data):
    content = _written(frame)
    cut = data.draw(st.integers(1, len(content) - 1))
    with pytest.raises(ChannelError, match="truncated frame"):
        _read_all(content[:cut])


@given(content=st.binary(min_size=1, max_size=200))
def test_garbage_is_an_error(content):
    with pytest.raises(ChannelError):
        _read_all(content)


@given(header=st.binary(max_size=60) | st.recursive(st.none() | st.integers() | TEXT, st.lists).map(json.dumps))
def test_a_garbage_header_is_an_error(header):
    content = header if isinstance(header, bytes) else header.encode()
    with pytest.raises(ChannelError, match="frame header is not valid"):
        _read_all(_raw(content))


@pytest.mark.parametrize(
    "header",
    [
        {},
        {"kind": "other"},
        {"kind": "final\n"},
        {"kind": "final", "surplus": 1},
        {"kind": "final", "body": None},
        {"kind": "final", "blob_bytes": [0.5]},
        {"kind": "final", "blob_bytes": [0] * (MAX_BLOBS + 1)},
    ],
    ids=str,
)
def test_a_header_that_says_something_else_is_an_error(header):
    with pytest.raises(ChannelError, match="frame header is not valid"):
        _read_all(_raw(json.dumps(header).encode(), bytes(100)))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (_raw(b"{}", magic=b"HTTP"), "frame starts with b'HTTP', expected b'JXB1'"),
        (_raw(b"{}", length=MAX_HEADER_BYTES + 1), f"header has {MAX_HEADER_BYTES + 1} bytes"),
        (_raw(b'{"kind":"final","blob_bytes":[%d,1]}' % MAX_FRAME_BYTES), f"blobs have {MAX_FRAME_BYTES + 1} bytes"),
        (_raw(b'{"kind":"final","blob_bytes":[-1]}', b"x"), "blobs have -1 bytes"),
        (_raw(b'{"kind":"final","blob_bytes":[-5,10]}', bytes(5)), "blobs have 5 bytes"),
    ],
)
def test_limits(content, message):
    with pytest.raises(ChannelError, match=message):
        _read_all(content)


@pytest.mark.parametrize("kind", ["sandbox", "progress"])
@pytest.mark.parametrize(("body", "blob_bytes"), [("", [1]), ("", [2**31 - 1]), ("x" * (MAX_NOTE_CHARACTERS + 1), [])])
def test_only_the_final_message_is_long(kind, body, blob_bytes):
    header = {"kind": kind, "body": body, "blob_bytes": blob_bytes}
    with pytest.raises(ChannelError, match=f"a {kind} message has no blobs and at most {MAX_NOTE_CHARACTERS}"):
        _read_all(_raw(json.dumps(header).encode()))


def test_no_more_blobs_are_read_than_the_reader_allows():
    written = _written(Frame("final", "", (b"12345", b"678")))
    assert read_frame(io.BytesIO(written), 8) is not None
    stream = io.BytesIO(written)
    with pytest.raises(ChannelError, match="blobs have 8 bytes, the limit is 7"):
        read_frame(stream, 7)
    assert stream.read() == b"12345678"


def test_as_many_blobs_as_allowed_pass():
    frame = Frame("final", "", (b"x",) * MAX_BLOBS)
    assert _read_all(_written(frame)) == [frame]


@given(body=TEXT, blobs=BLOBS)
def test_requests_come_back(body, blobs):
    stream = io.BytesIO(encode_request(body, blobs))
    assert decode_request(stream) == (body, list(blobs))
    assert stream.read() == b""
