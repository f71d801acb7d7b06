"""What buffers in HBM and VMEM hold, as far as it can be told. Nothing is evaluated before it is asked for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from jaxbench_predictor.execution.values import Scalar, Unknown
from jaxbench_predictor.hlo.shapes import UnevaluableError
from jaxbench_predictor.memory import Space

FILLS = (0x00, 0xA5)
"""Undefined memory is taken to be full of either; what comes out the same does not depend on it."""

_WORD_BYTES = 4

Bytes = tuple[NDArray[np.uint8], NDArray[np.bool_]]
"""Bytes, and which of them are known; the others are padding."""


class Content(Protocol):
    """What a buffer holds; never changes."""

    def read(self, fill: int) -> Bytes:
        """Returns it from its first byte on, as long as it is.

        Raises:
            UnevaluableError: It cannot be told.
        """
        ...


@dataclass(frozen=True, slots=True)
class Known:
    """Bytes at hand."""

    data: NDArray[np.uint8]

    def read(self, fill: int) -> Bytes:
        """Returns them."""
        del fill
        return self.data, np.ones(self.data.size, np.bool_)


@dataclass(frozen=True, slots=True)
class Untold:
    """What cannot be told, and why."""

    reason: str

    def read(self, fill: int) -> Bytes:
        """Raises UnevaluableError."""
        del fill
        raise UnevaluableError(self.reason)


@dataclass(slots=True)
class Deferred:
    """What a function yields, called at most once for each fill."""

    function: Callable[[int], Bytes]
    _results: dict[int, Bytes | UnevaluableError] = field(default_factory=dict[int, Bytes | UnevaluableError])

    def read(self, fill: int) -> Bytes:
        """Returns what the function yields."""
        if fill not in self._results:
            try:
                self._results[fill] = self.function(fill)
            except UnevaluableError as error:
                self._results[fill] = error
        result = self._results[fill]
        if isinstance(result, UnevaluableError):
            raise result
        return result


@dataclass(frozen=True, slots=True)
class Either:
    """A content that is known in two ways; the second one is for when the first fails."""

    first: Content
    second: Content

    def read(self, fill: int) -> Bytes:
        """Returns what either yields. Raises the second one's error, which says more, where both fail."""
        try:
            return self.first.read(fill)
        except UnevaluableError:
            return self.second.read(fill)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a content that lies somewhere in a larger range."""

    begin: int
    end: int
    content: Content
    offset: int
    """Where its first byte is in `content`."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """A range of memory, put together of the contents that were written there."""

    size: int
    pieces: tuple[Piece, ...]

    def read(self, fill: int) -> Bytes:
        """Returns the bytes; those that nothing was written to are unknown."""
        data = np.zeros(self.size, np.uint8)
        there = np.zeros(self.size, np.bool_)
        for piece in self.pieces:
            content, known = piece.content.read(fill)
            part = slice(piece.offset, piece.offset + piece.end - piece.begin)
            count = content[part].size
            data[piece.begin : piece.begin + count] = content[part]
            there[piece.begin : piece.begin + count] = known[part]
        return data, there


def words_of(content: Content, count: int) -> list[Scalar]:
    """Returns the first 32-bit words of a content; a word of padding is unknown."""
    try:
        data, there = content.read(FILLS[0])
        other, _ = content.read(FILLS[1])
    except UnevaluableError as error:
        return [Unknown(str(error))] * count
    padding = Unknown("memory past the end of an array")
    undefined = Unknown("memory that the program did not write")
    words: list[Scalar] = []
    for begin in range(0, count * _WORD_BYTES, _WORD_BYTES):
        part = slice(begin, begin + _WORD_BYTES)
        if not np.any(there[part]):
            words.append(padding)
        elif not np.array_equal(data[part], other[part]):
            words.append(undefined)
        else:
            words.append(int.from_bytes(data[part].tobytes(), "little"))
    return words


def words(values: Sequence[int]) -> Known:
    """Returns the content made of 32-bit words."""
    return Known(np.array([value & 0xFFFFFFFF for value in values], np.uint32).view(np.uint8))


def words_or_padding(values: Sequence[int | None]) -> Content:
    """Returns the content made of 32-bit words, of which None are not known."""
    known = np.repeat([value is not None for value in values], _WORD_BYTES)
    data = words([value or 0 for value in values]).data
    return Deferred(lambda _fill: (data, known))


class ContentMemory:
    """The contents of HBM and VMEM, by byte address."""

    def __init__(self) -> None:
        self._pieces: dict[Space, list[Piece]] = {}

    def write(self, space: Space, address: int, size: int, content: Content) -> None:
        """Puts `content` at an address."""
        end = address + size
        kept: list[Piece] = []
        for piece in self._pieces.get(space, ()):
            if piece.end <= address or end <= piece.begin:
                kept.append(piece)
                continue
            if piece.begin < address:
                kept.append(Piece(piece.begin, address, piece.content, piece.offset))
            if end < piece.end:
                kept.append(Piece(end, piece.end, piece.content, piece.offset + end - piece.begin))
        self._pieces[space] = [*kept, Piece(address, end, content, 0)]

    def read(self, space: Space, address: int, size: int) -> Content:
        """Returns what is at an address at present."""
        found = [
            Piece(
                max(piece.begin, address) - address,
                min(piece.end, address + size) - address,
                piece.content,
                piece.offset + max(0, address - piece.begin),
            )
            for piece in self._pieces.get(space, ())
            if piece.begin < address + size and address < piece.end
        ]
        return Pieces(size, tuple(found)) if found else Untold("memory that the program did not write")

    def clear(self, space: Space | None = None) -> None:
        """Forgets everything, or all of one memory."""
        if space is None:
            self._pieces.clear()
        else:
            self._pieces.pop(space, None)
