"""Reads the compiler's descriptions of windows and buffers."""

import re

_BOUNDS = re.compile(r"window_bounds: \(([\d, ]+)\)")
_ELEMENT = re.compile(r"element_size_in_bytes: (\d+)")
_BUFFER = re.compile(r"\b([a-z]+)(\d+)\w*\[[\d,]*\]")
_LANES = 128


def window_shape(window: str, operand: str) -> tuple[int, ...] | None:
    """Returns the shape of a window in elements, padding included, or None where it is not described.

    The bounds count tiles of some rows of 128 lanes in the last two dimensions; `element_size_in_bytes` is the size of
    a tile.

    Args:
        window: Description of the window, such as `window_bounds: (32, 2) ... element_size_in_bytes: 2048`.
        operand: Description of the buffer, such as `input 0 bf16[1024,1024]`.
    """
    bounds, element, buffer = _BOUNDS.search(window), _ELEMENT.search(window), _BUFFER.search(operand)
    if not (bounds and element and buffer):
        return None
    shape = [int(bound) for bound in bounds[1].split(",")]
    row_bits = int(buffer[2]) * _LANES
    rows, rest = divmod(int(element[1]) * 8, row_bits)
    if rest or len(shape) < 2 or not all(shape):
        return None
    shape[-2] *= rows
    shape[-1] *= _LANES
    return tuple(shape)
