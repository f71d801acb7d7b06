"""What does not average out of an error: slope and offset of output on reference, overall and per block.

Rounding is random: over n elements its effect on a slope or a mean shrinks as 1/sqrt(n). A wrong scale, a
forgotten bias, a stale tile do not shrink. So only what exceeds `STANDARD_ERRORS` standard errors counts. The
standard errors come from the residuals of the fit itself, with each element's own residual
(heteroscedasticity-consistent, HC1), because rounding errors grow with the value. A candidate cannot hide
behind large residuals: the RMS metrics bound them.
"""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Block = tuple[slice, ...]

STANDARD_ERRORS = 4.0
"""Standard errors that are taken off a slope or an offset before it counts."""

MIN_FIT_ELEMENTS = 32
"""Fewest elements whose slope and offset are estimated; with fewer, the standard errors mean little."""

BLOCK_COLUMNS, BLOCK_ROWS = 128, 64
"""Extents of a block along the last and the second-last axis; along other axes it is 1."""

MIN_BLOCK_ELEMENTS = 1024
"""Blocks are extended, along the last axes first, to at least so many elements where the array has them."""

MIN_SPREAD = 0.01
"""Least standard deviation of the reference, in units of S, over which a slope is estimated."""

MIN_SPREAD_OF_MEAN = 2.0**-6
"""The same in units of |mean|: two to four steps of bfloat16, below which rounding distorts the slope."""

MIN_BLOCK_SPREAD = 0.1
"""Least spread, in units of S, that the RMS error of a block is relative to."""


@dataclass(frozen=True)
class Fit:
    """Least-squares line of output on reference through the mean of the reference, in units of S.

    Attributes:
        slope: Slope; None where there are too few elements or too little spread to tell.
        slope_excess: |slope - 1| beyond the standard errors, at least 0; 0 without slope.
        offset: Mean of output - reference: the line's offset where the reference is at its mean; None where
            there are too few elements.
        offset_excess: |offset| beyond the standard errors, at least 0; 0 without offset.
        relative_rms: RMS error over the standard deviation of the reference, which counts as at least 0.1 S.
    """

    slope: float | None
    slope_excess: float
    offset: float | None
    offset_excess: float
    relative_rms: float


def fit(reference: Floats, error: Floats) -> Fit:
    """Fits the line.

    Args:
        reference: Finite values in units of S, any shape, at least one.
        error: Output minus reference in units of S, same shape.

    Returns:
        The line, and by how much it is beyond chance.
    """
    x, e = reference.ravel(), error.ravel()
    count, mean, offset = x.size, float(x.mean()), float(e.mean())
    centred = x - mean
    squares = float(centred @ centred)
    spread = math.sqrt(squares / count)
    relative_rms = math.sqrt(float(e @ e) / count) / max(spread, MIN_BLOCK_SPREAD)
    if count < MIN_FIT_ELEMENTS:
        return Fit(None, 0.0, None, 0.0, relative_rms)
    residual = e - offset
    slope, slope_excess = None, 0.0
    if spread > max(MIN_SPREAD, MIN_SPREAD_OF_MEAN * abs(mean)):
        tilt = float(centred @ e) / squares
        residual = residual - tilt * centred
        weighted = centred * residual
        standard_error = math.sqrt(float(weighted @ weighted) * count / (count - 2)) / squares
        slope, slope_excess = 1 + tilt, max(0.0, abs(tilt) - STANDARD_ERRORS * standard_error)
    standard_error = math.sqrt(float(residual @ residual) / (count - 2) / count)
    return Fit(slope, slope_excess, offset, max(0.0, abs(offset) - STANDARD_ERRORS * standard_error), relative_rms)


def blocks(shape: tuple[int, ...]) -> Iterator[Block]:
    """Yields contiguous blocks that cover every element of an array once.

    A remainder of less than half an extent is added to the block before it.

    Args:
        shape: Shape of the array.

    Yields:
        One slice per axis, row-major.
    """
    extents = [1] * len(shape)
    for axis, extent in ((-1, BLOCK_COLUMNS), (-2, BLOCK_ROWS)):
        if len(shape) >= -axis:
            extents[axis] = min(shape[axis], extent)
    for axis in reversed(range(len(shape))):
        others = math.prod(extents) // max(extents[axis], 1)
        wanted = math.ceil(MIN_BLOCK_ELEMENTS / max(others, 1))
        extents[axis] = min(shape[axis], max(extents[axis], wanted))
    yield from itertools.product(*(_cuts(*axis) for axis in zip(shape, extents, strict=True)))


def systematic_metrics(reference: Floats, error: Floats, valid: Mask) -> tuple[dict[str, float], dict[str, str]]:
    """Measures the systematic part of an error, and the RMS error per block.

    Args:
        reference: Reference in units of S, any shape; at least one element valid.
        error: Output minus reference in units of S, same shape.
        valid: Elements that count, same shape.

    Returns:
        Metrics by name (those that could be estimated), and for each a note on what was found where.
    """
    overall = fit(reference[valid], error[valid])
    values: dict[str, float] = {}
    notes: dict[str, str] = {}
    if overall.slope is not None:
        values["slope"], notes["slope"] = (
            overall.slope_excess,
            f"the output is {overall.slope:.5g} x reference",
        )
    if overall.offset is not None:
        values["offset"], notes["offset"] = overall.offset_excess, f"the mean error is {overall.offset:.3g} S"
    for block in blocks(reference.shape):
        chosen = valid[block]
        if not chosen.any():
            continue
        part = fit(reference[block][chosen], error[block][chosen])
        where = f"in block [{', '.join(f'{cut.start}:{cut.stop}' for cut in block)}]"
        found = [("block_rms", part.relative_rms, f"{where} it is {part.relative_rms:.3g} of the spread")]
        if part.slope is not None:
            found.append(("block_slope", part.slope_excess, f"{where} the output is {part.slope:.5g} x reference"))
        if part.offset is not None:
            found.append(("block_offset", part.offset_excess, f"{where} the mean error is {part.offset:.3g} S"))
        for name, value, note in found:
            if value > values.get(name, -1.0):
                values[name], notes[name] = value, note
    return values, notes


def _cuts(length: int, extent: int) -> list[slice]:
    if not length:
        return []
    starts = list(range(0, length, extent))
    if len(starts) > 1 and 2 * (length - starts[-1]) < extent:
        starts.pop()
    return [slice(start, stop) for start, stop in itertools.pairwise([*starts, length])]
