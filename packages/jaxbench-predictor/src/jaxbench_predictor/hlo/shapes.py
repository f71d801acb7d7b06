"""Shapes of HLO values, and how their elements lie in memory."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

MAX_ELEMENTS = 1 << 22
"""Most elements of an array that is evaluated: integers that decide control flow are few."""


class UnevaluableError(Exception):
    """A value cannot be told; the message says why, as a noun phrase."""


DTYPES: Mapping[str, np.dtype[Any]] = MappingProxyType(
    {
        "pred": np.dtype(np.bool_),
        "s8": np.dtype(np.int8),
        "u8": np.dtype(np.uint8),
        "s16": np.dtype(np.int16),
        "u16": np.dtype(np.uint16),
        "s32": np.dtype(np.int32),
        "u32": np.dtype(np.uint32),
        "f32": np.dtype(np.float32),
    }
)
"""Element types that are evaluated. TPUs have no 64-bit words, and narrow floats decide no control flow."""

_ARRAY = re.compile(r"(?P<dtype>[a-z]\w*)\[(?P<dims>[\d,]*)\](?:\{(?P<order>[\d,]*)(?::(?P<layout>[^{}]*))?\})?")
_TILES = re.compile(r"T((?:\([\d,]+\))+)")
_TILE = re.compile(r"\(([\d,]+)\)")
_MEMORY_SPACE = re.compile(r"S\(\d+\)")


@dataclass(frozen=True)
class Shape:
    """An array shape.

    Attributes:
        dtype: Element type as HLO writes it.
        dims: Sizes.
        minor_to_major: Dimensions, the fastest one in memory first.
        tiles: Tilings, each applied to the result of the one before.
        plain: Whether the layout says no more than that.
    """

    dtype: str
    dims: tuple[int, ...]
    minor_to_major: tuple[int, ...]
    tiles: tuple[tuple[int, ...], ...] = ()
    plain: bool = True

    @cached_property
    def numpy_dtype(self) -> np.dtype[Any]:
        """Element type. Raises UnevaluableError for one that is not evaluated."""
        try:
            return DTYPES[self.dtype]
        except KeyError:
            raise UnevaluableError(f"an array of {self.dtype}") from None

    def check_size(self) -> None:
        """Raises UnevaluableError when the array is too large to be evaluated."""
        if prod(self.dims) > MAX_ELEMENTS:
            raise UnevaluableError(f"an array of {prod(self.dims)} elements")

    def encode(self, array: Array) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """Returns the bytes of an array in memory, and which of them are no padding."""
        positions = self._positions()
        dtype = self.numpy_dtype
        content = np.zeros(positions.size, dtype)
        there = positions >= 0
        content[there] = np.ascontiguousarray(array, dtype).ravel()[positions[there]]
        return content.view(np.uint8), np.repeat(there, dtype.itemsize)

    def decode(self, content: NDArray[np.uint8]) -> Array:
        """Returns the array whose bytes begin `content`. Raises UnevaluableError when there are too few."""
        positions = self._positions()
        dtype = self.numpy_dtype
        elements = content[: content.size // dtype.itemsize * dtype.itemsize].view(dtype)
        there = np.flatnonzero(positions >= 0)
        if there.size and there[-1] >= elements.size:
            raise UnevaluableError("an array that lies only partly in a known buffer")
        flat = np.empty(prod(self.dims), dtype)
        flat[positions[there]] = elements[there]
        return flat.reshape(self.dims)

    @property
    def byte_size(self) -> int:
        """Bytes in memory, with padding; of any element type."""
        sizes = [self.dims[dimension] for dimension in reversed(self.minor_to_major)]
        for tile in self.tiles:
            sizes = [1] * (len(tile) - len(sizes)) + sizes
            outer, tiled = sizes[: len(sizes) - len(tile)], sizes[len(sizes) - len(tile) :]
            sizes = [*outer, *(-(-size // extent) for size, extent in zip(tiled, tile, strict=True)), *tile]
        bits = re.search(r"\d+", self.dtype)
        return -(-prod(sizes) * (int(bits[0]) if bits else 8) // 8)

    def _positions(self) -> NDArray[np.int64]:
        self.check_size()
        if not self.plain:
            raise UnevaluableError("an array of an unknown layout")
        return _positions(self.dims, self.minor_to_major, self.tiles)


TupleShape = tuple[Shape | None, ...]
"""The shapes of a tuple's elements; None for what is no array."""


def parse_shape(text: str) -> Shape | TupleShape | None:
    """Parses a shape as HLO writes it; returns None for what is neither an array nor a tuple of such."""
    text = text.strip()
    if text.startswith("("):
        elements = [parse_shape(part) for part in split_top_level(text[1:-1])]
        return tuple(element if isinstance(element, Shape) else None for element in elements)
    match = _ARRAY.fullmatch(text)
    if match is None:
        return None
    dims = _integers(match["dims"])
    order = tuple(reversed(range(len(dims)))) if match["order"] is None else _integers(match["order"])
    layout = match["layout"] or ""
    tiles = _TILES.search(layout)
    rest = _MEMORY_SPACE.sub("", _TILES.sub("", layout))
    return Shape(
        match["dtype"],
        dims,
        order,
        tuple(_integers(tile) for tile in _TILE.findall(tiles[1])) if tiles else (),
        plain=not rest,
    )


def split_top_level(text: str) -> list[str]:
    """Splits at commas that are in no bracket and no string."""
    text = re.sub(r"/\*.*?\*/", "", text)
    parts: list[str] = []
    depth = begin = 0
    quoted = False
    for index, character in enumerate(text):
        if character == '"' and text[index - 1] != "\\":
            quoted = not quoted
        elif quoted:
            continue
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[begin:index].strip())
            begin = index + 1
    parts.append(text[begin:].strip())
    return [part for part in parts if part]


def _integers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(",") if part)


@lru_cache(maxsize=256)
def _positions(
    dims: tuple[int, ...], minor_to_major: tuple[int, ...], tiles: tuple[tuple[int, ...], ...]
) -> NDArray[np.int64]:
    """Returns, in the order of memory, the row-major position of each element; -1 for padding."""
    array = np.arange(prod(dims), dtype=np.int64).reshape(dims).transpose(tuple(reversed(minor_to_major)))
    for tile in tiles:
        array = _tiled(array, tile)
    positions = array.ravel()
    positions.flags.writeable = False
    return positions


def _tiled(array: NDArray[np.int64], tile: tuple[int, ...]) -> NDArray[np.int64]:
    """Splits the last dimensions into tiles, which become the most minor dimensions."""
    missing = len(tile) - array.ndim
    if missing > 0:
        array = array.reshape((1,) * missing + array.shape)
    outer = array.ndim - len(tile)
    sizes = array.shape[outer:]
    array = np.pad(
        array,
        [(0, 0)] * outer + [(0, -size % extent) for size, extent in zip(sizes, tile, strict=True)],
        constant_values=-1,
    )
    split = [part for size, extent in zip(array.shape[outer:], tile, strict=True) for part in (size // extent, extent)]
    grid = [outer + 2 * index for index in range(len(tile))]
    inside = [axis + 1 for axis in grid]
    return array.reshape((*array.shape[:outer], *split)).transpose((*range(outer), *grid, *inside))


def element(shape: Shape | TupleShape | None, index: int | None) -> Shape | None:
    """Returns the shape of one element of a tuple, or the shape itself where `index` is None."""
    if index is None:
        return shape if isinstance(shape, Shape) else None
    if not isinstance(shape, tuple):
        return None
    return dict(enumerate(shape)).get(index)


__all__ = ["DTYPES", "MAX_ELEMENTS", "Array", "Shape", "TupleShape", "UnevaluableError", "element", "parse_shape"]
