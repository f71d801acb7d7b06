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
    ChannelError,
    Frame,
    decode_request,
    encode_request,
    read_frame,
    write_frame,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
BLOBS = st.lists(st.binary(max_size=50), max_size=5).map(tuple)
FRAMES = st.builds(Frame, st.sampled_from(["progress", "final"]), TEXT, BLOBS)


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


def test_as_many_blobs_as_allowed_pass():
    frame = Frame("final", "", (b"x",) * MAX_BLOBS)
    assert _read_all(_written(frame)) == [frame]


@given(body=TEXT, blobs=BLOBS)
def test_requests_come_back(body, blobs):
    stream = io.BytesIO(encode_request(body, blobs))
    assert decode_request(stream) == (body, list(blobs))
    assert stream.read() == b""
