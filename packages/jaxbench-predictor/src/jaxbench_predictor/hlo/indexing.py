"""Instructions that move elements: slices, pads, gathers, scatters."""

import re
from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from jaxbench_predictor.hlo.module import Instruction
from jaxbench_predictor.hlo.shapes import Array, UnevaluableError

_SLICE = re.compile(r"\[(\d+):(\d+)(?::(\d+))?\]")
_MAX_UPDATES = 1 << 18
"""Most elements of a scatter's updates, which are applied one by one."""


def broadcast(instruction: Instruction, a: Array) -> Array:
    """Evaluates `broadcast`: dimension i of the operand becomes dimension `dimensions[i]`."""
    dims = instruction.array_shape().dims
    dimensions = instruction.integers("dimensions")
    expanded = [1] * len(dims)
    for axis, size in zip(dimensions, a.shape, strict=True):
        expanded[axis] = size
    order = tuple(int(axis) for axis in np.argsort(dimensions))
    return np.broadcast_to(a.transpose(order).reshape(expanded), dims)


def iota(instruction: Instruction) -> Array:
    """Evaluates `iota`."""
    shape = instruction.array_shape()
    (axis,) = instruction.integers("iota_dimension")
    counts = np.arange(shape.dims[axis]).astype(shape.numpy_dtype)
    sizes = [size if index == axis else 1 for index, size in enumerate(shape.dims)]
    return np.broadcast_to(counts.reshape(sizes), shape.dims)


def reshape(instruction: Instruction, a: Array) -> Array:
    """Evaluates `reshape`."""
    return a.reshape(instruction.array_shape().dims)


def transpose(instruction: Instruction, a: Array) -> Array:
    """Evaluates `transpose`."""
    return a.transpose(instruction.integers("dimensions"))


def reverse(instruction: Instruction, a: Array) -> Array:
    """Evaluates `reverse`."""
    return np.flip(a, instruction.integers("dimensions"))


def concatenate(instruction: Instruction, *parts: Array) -> Array:
    """Evaluates `concatenate`."""
    (axis,) = instruction.integers("dimensions")
    return np.concatenate(parts, axis)


def bitcast_convert(instruction: Instruction, a: Array) -> Array:
    """Evaluates `bitcast-convert` between types of one size."""
    return np.ascontiguousarray(a).view(instruction.array_shape().numpy_dtype).reshape(a.shape)


def strided_slice(instruction: Instruction, a: Array) -> Array:
    """Evaluates `slice`."""
    found = _SLICE.findall(instruction.attributes["slice"])
    return a[tuple(slice(int(low), int(high), int(step or 1)) for low, high, step in found)]


def pad(instruction: Instruction, a: Array, value: Array) -> Array:
    """Evaluates `pad`; negative padding cuts off."""
    padding = [tuple(map(int, part.split("_"))) for part in instruction.attributes["padding"].split("x") if part]
    for axis, (low, high, *interior) in enumerate(padding):
        gap = interior[0] if interior else 0
        size = a.shape[axis]
        wide = list(a.shape)
        wide[axis] = max(0, size + (size - 1) * gap if size else 0) + max(low, 0) + max(high, 0)
        padded = np.full(wide, value, a.dtype)
        begin = max(low, 0)
        inside = [slice(None)] * a.ndim
        inside[axis] = slice(begin, begin + size + (size - 1) * gap if size else begin, gap + 1)
        padded[tuple(inside)] = a
        cut = [slice(None)] * a.ndim
        cut[axis] = slice(max(-low, 0), wide[axis] - max(-high, 0))
        a = padded[tuple(cut)]
    return a


def dynamic_slice(instruction: Instruction, a: Array, *starts: Array) -> Array:
    """Evaluates `dynamic-slice`: starts are clamped so that the slice is inside."""
    sizes = instruction.integers("dynamic_slice_sizes")
    return a[_window(a, starts, sizes)]


def dynamic_update_slice(_: Instruction, a: Array, update: Array, *starts: Array) -> Array:
    """Evaluates `dynamic-update-slice`."""
    result = a.copy()
    result[_window(a, starts, update.shape)] = update
    return result


def _window(a: Array, starts: Sequence[Array], sizes: Sequence[int]) -> tuple[slice, ...]:
    begins = [
        int(np.clip(int(start), 0, extent - size)) for start, extent, size in zip(starts, a.shape, sizes, strict=True)
    ]
    return tuple(slice(begin, begin + size) for begin, size in zip(begins, sizes, strict=True))


_GATHER = ("start_index_map", "operand_batching_dims", "start_indices_batching_dims")
_SCATTER = ("scatter_dims_to_operand_dims", "input_batching_dims", "scatter_indices_batching_dims")
"""Names of the settings that `_starts` reads."""


def _starts(instruction: Instruction, indices: Array, rank: int, keys: tuple[str, str, str]) -> Array:
    """Returns where each window begins in each dimension of the operand: batch dimensions, then one of `rank`."""
    mapping, operand_batching, indices_batching = map(instruction.integers, keys)
    (axis,) = instruction.integers("index_vector_dim")
    vectors = indices[..., None] if axis == indices.ndim else np.moveaxis(indices, axis, -1)
    starts = np.zeros((*vectors.shape[:-1], rank), np.int64)
    for component, dimension in enumerate(mapping):
        starts[..., dimension] = vectors[..., component]
    for dimension, position in zip(operand_batching, indices_batching, strict=True):
        batch = position - (position > axis)
        sizes = [1] * (starts.ndim - 1)
        sizes[batch] = starts.shape[batch]
        starts[..., dimension] = np.arange(starts.shape[batch]).reshape(sizes)
    return starts


def gather(instruction: Instruction, a: Array, indices: Array) -> Array:
    """Evaluates `gather`: starts are clamped so that each slice is inside."""
    sizes = instruction.integers("slice_sizes")
    starts = _starts(instruction, indices, a.ndim, _GATHER)
    starts = np.clip(starts, 0, np.array(a.shape, np.int64) - np.array(sizes, np.int64))
    dropped = {*instruction.integers("collapsed_slice_dims"), *instruction.integers("operand_batching_dims")}
    kept = [dimension for dimension in range(a.ndim) if dimension not in dropped]
    batch = starts.ndim - 1
    index: list[Array] = []
    for dimension in range(a.ndim):
        at = starts[..., dimension].reshape(*starts.shape[:-1], *[1] * len(kept))
        if dimension in kept:
            extent = [1] * (batch + len(kept))
            extent[batch + kept.index(dimension)] = sizes[dimension]
            at = at + np.arange(sizes[dimension]).reshape(extent)
        index.append(at)
    result = a[tuple(index)] if index else np.broadcast_to(a, starts.shape[:-1])
    return np.moveaxis(result, range(batch, batch + len(kept)), instruction.integers("offset_dims"))


def scatter(
    instruction: Instruction,
    combine: Callable[[Array, Array], Array],
    a: Array,
    indices: Array,
    updates: Array,
    *,
    commutes: bool,
) -> Array:
    """Evaluates `scatter`: windows that are not inside are left out.

    Args:
        instruction: The instruction.
        combine: What becomes of an element and its update.
        a: The operand.
        indices: Where the windows begin.
        updates: The windows.
        commutes: Whether the order of updates makes no difference.

    Raises:
        UnevaluableError: There are too many updates, or the result depends on their order.
    """
    if updates.size > _MAX_UPDATES:
        raise UnevaluableError(f"a scatter of {updates.size} elements")
    starts = _starts(instruction, indices, a.ndim, _SCATTER)
    window_dims = instruction.integers("update_window_dims")
    dropped = {*instruction.integers("inserted_window_dims"), *instruction.integers("input_batching_dims")}
    kept = [dimension for dimension in range(a.ndim) if dimension not in dropped]
    # Windows become the last dimensions, so that the others are those of the starts.
    windows = np.moveaxis(updates, window_dims, range(updates.ndim - len(window_dims), updates.ndim))
    window_shape = windows.shape[starts.ndim - 1 :]
    if not commutes and len(np.unique(starts.reshape(-1, a.ndim), axis=0)) < prod(starts.shape[:-1]):
        raise UnevaluableError("a scatter to one place from several")
    extents = np.ones(a.ndim, np.int64)
    extents[kept] = window_shape
    rows = windows.reshape(-1, *window_shape) if prod(windows.shape) else np.empty((0, *window_shape), a.dtype)
    result = a.copy()
    for start, window in zip(starts.reshape(-1, a.ndim), rows, strict=False):
        if np.any(start < 0) or np.any(start + extents > np.array(a.shape)):
            continue
        place = tuple(slice(int(low), int(low + size)) for low, size in zip(start, extents, strict=True))
        shaped = window.reshape(tuple(int(size) for size in extents))
        result[place] = combine(result[place], shaped)
    return result
