"""Wrong answers made from the right one: blind to the inputs, or damaged where kernels damage their output."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Floats = NDArray[np.float64]
Answer = tuple[str, Floats]

TILE_ROWS, TILE_COLUMNS = 8, 128
"""Smallest tile of a TPU's vector memory in 32 bits."""


def blind_answers(exact: Floats, first_input: Array, other: Floats | None = None) -> Iterator[Answer]:
    """Yields the answers that need no look at the inputs, or only at the first.

    Args:
        exact: The right answer.
        first_input: First array input, any shape and dtype.
        other: The right answer to another draw of the same input distribution, if there is one. For a scalar it is
            what tells most: its own mean and midrange are the right answer.
    """
    yield "zeros", np.zeros_like(exact)
    yield "mean", np.full_like(exact, exact.mean())
    yield "midrange", np.full_like(exact, (exact.max() + exact.min()) / 2)
    if exact.ndim and exact.shape[-1] > 1 and exact.size > exact.shape[-1]:
        yield "mean of each row", np.broadcast_to(exact.mean(axis=-1, keepdims=True), exact.shape)
    if exact.ndim > 1 and exact.shape[0] > 1 and exact[0].size > 1:
        yield "mean of each column", np.broadcast_to(exact.mean(axis=0, keepdims=True), exact.shape)
    yield "first input, resized", np.resize(first_input.astype(np.float64), exact.shape)
    yield "NaN", np.full_like(exact, np.nan)
    if other is not None:
        yield "right answer of another seed", other


def damaged_answers(exact: Floats) -> Iterator[Answer]:
    """Yields the right answer with a scale 1 % off, with a part unwritten or stale, or with neighbours swapped."""
    yield "scale 1 % up", 1.01 * exact
    yield "scale 1 % down", 0.99 * exact
    if exact.ndim:
        yield from _damaged_tiles(exact)
    for axis, extent in enumerate(exact.shape):
        if extent > 1:
            yield f"shifted by one along axis {axis}", np.roll(exact, 1, axis)


def _damaged_tiles(exact: Floats) -> Iterator[Answer]:
    last_row = (..., slice(-1, None), slice(None)) if exact.ndim > 1 else (slice(-1, None),)
    tile = tuple(
        slice(-min(extent, wanted), None)
        for extent, wanted in zip(exact.shape[-2:], (TILE_ROWS, TILE_COLUMNS)[-exact.ndim :], strict=True)
    )
    leading = (slice(-1, None),) * (exact.ndim - len(tile))
    for name, where in (("last row", last_row), ("last tile", (*leading, *tile))):
        yield f"{name} not written", _with(exact, where, 0.0)
    for axis in reversed(range(exact.ndim)):
        extent = -(leading + tile)[axis].start
        if 2 * extent <= exact.shape[axis]:
            neighbour = list(leading + tile)
            neighbour[axis] = slice(-2 * extent, -extent)
            yield "last tile stale", _with(exact, leading + tile, exact[tuple(neighbour)])
            return


def _with(exact: Floats, where: Any, value: Any) -> Floats:
    changed = exact.copy()
    changed[where] = value
    return changed
