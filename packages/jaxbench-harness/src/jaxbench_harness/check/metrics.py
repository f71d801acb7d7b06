"""Error metrics of an output against the float32 reference. NumPy in float64; imports no JAX.

docs/check.md defines the metrics for users. The element and RMS metrics bound how noisy an output may be; the
slope and offset metrics bound what does not average out, and so can be far tighter.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jaxbench_harness.check.systematic import Floats, Mask, systematic_metrics
from jaxbench_harness.records.reports import ErrorHistogram, Mismatch
from jaxbench_harness.tolerance import Scale, Tolerance

AnyArray = NDArray[Any]

HISTOGRAM_EDGES = tuple(10.0**exponent for exponent in range(-7, 3))
"""Upper edges of the error histogram's bins, in units of S."""

_TINY = float(np.finfo(np.float32).tiny)
CONSTANT_SPREAD = 1e-7
"""A spread below this share of the RMS is float32 rounding of a constant."""


@dataclass(frozen=True)
class Measurement:
    """How far one output is from the reference.

    Attributes:
        values: Metrics by name, dimensionless, finite and at least 0; without those that the output is too
            small or too constant for. `element` is always there.
        notes: For some metrics, where and in which direction the value was found, in a few words.
        worst: The element with the largest `element` metric; None where no element is finite in both.
        histogram: Distribution of |output - reference| / S.
    """

    values: Mapping[str, float]
    notes: Mapping[str, str]
    worst: Mismatch | None
    histogram: ErrorHistogram


def measure(output: AnyArray, reference: AnyArray, tolerance: Tolerance) -> Measurement:
    """Compares an output with the reference where both are finite.

    Integers and booleans are compared exactly: their only metric is `element`, twice the largest difference.

    Args:
        output: Array of any shape and any real dtype (bfloat16 as `ml_dtypes` has it).
        reference: Array of the same shape.
        tolerance: Units of the element metric.

    Returns:
        All metrics that apply.

    Raises:
        ValueError: If the shapes differ.
    """
    errors = _Errors(output, reference, tolerance)
    values, notes = errors.overall(), {}
    if not errors.exact and errors.valid.any():
        # |reference| as the unit would make every reference +-1, which has no slope.
        magnitude = max(_root_mean_square(errors.known[errors.valid]), _TINY)
        unit = magnitude if tolerance.scale == "abs" else errors.scale
        systematic, notes = systematic_metrics(errors.known / unit, errors.error / unit, errors.valid)
        values |= systematic
    return Measurement(
        values=values,
        notes=notes,
        worst=_worst(errors.units, errors.valid, errors.got, errors.expected),
        histogram=_histogram(np.abs(errors.error) / errors.scale, errors.valid),
    )


def overall_metrics(output: AnyArray, reference: AnyArray, tolerance: Tolerance) -> dict[str, float]:
    """Returns only the metrics of `measure` that need no fit and no block: `element` and, for floats, `rms`.

    Args:
        output: As for `measure`.
        reference: As for `measure`.
        tolerance: As for `measure`.

    Raises:
        ValueError: If the shapes differ.
    """
    return _Errors(output, reference, tolerance).overall()


class _Errors:
    """Errors of an output, element by element, in float64.

    Attributes:
        got: The output.
        expected: The reference.
        exact: Whether they are integers or booleans, which must be equal.
        valid: Where both are finite.
        known: The reference, 0 where not valid.
        error: Output minus reference, 0 where not valid.
        scale: S of every element.
        units: Absolute error in units of what is allowed.
    """

    def __init__(self, output: AnyArray, reference: AnyArray, tolerance: Tolerance) -> None:
        self.got, self.expected = _as_float64(output, reference)
        self.exact = reference.dtype.kind in "biu"
        self.valid: Mask = np.isfinite(self.got) & np.isfinite(self.expected)
        self.known: Floats = np.where(self.valid, self.expected, 0.0)
        self.error: Floats = np.where(self.valid, self.got, 0.0) - self.known
        if self.exact:
            self.scale: Floats = np.ones_like(self.known)
            self.units: Floats = 2 * np.abs(self.error)
        else:
            self.scale = scale_of(self.expected, tolerance.scale)
            allowed = tolerance.rtol * np.abs(self.known) + tolerance.atol_scale * self.scale
            self.units = np.abs(self.error) / np.maximum(allowed, _TINY)

    def overall(self) -> dict[str, float]:
        """Returns the metrics over all elements."""
        values = {"element": float(self.units.max(initial=0.0))}
        if not self.exact and self.valid.any():
            values["rms"] = _root_mean_square(self.error[self.valid]) / _spread(self.known[self.valid])
        return values


def nonfinite_pattern(output: AnyArray, reference: AnyArray) -> Mismatch | None:
    """Compares where NaN, plus infinity and minus infinity are.

    Args:
        output: Array of any shape and real dtype.
        reference: Array of the same shape.

    Returns:
        The first element, in row-major order, that is non-finite in one array and not the same in the other;
        None when there is none.

    Raises:
        ValueError: If the shapes differ.
    """
    got, expected = _as_float64(output, reference)
    same_infinity = np.isinf(got) & (got == expected)
    same = (np.isfinite(got) & np.isfinite(expected)) | (np.isnan(got) & np.isnan(expected)) | same_infinity
    return None if same.all() else _mismatch(int(np.argmin(same)), got, expected)


def scale_of(reference: AnyArray, kind: Scale) -> Floats:
    """Returns S, what errors are relative to, for every element.

    Where S would be 0 (a constant reference, a row of zeros, a zero element) it is the RMS of the whole
    reference; where that is 0 as well, the smallest normal float32. Non-finite elements count as absent.

    Args:
        reference: Array of any shape and real dtype.
        kind: Which S.

    Returns:
        Positive float64 array of the reference's shape.
    """
    values = reference.astype(np.float64)
    finite = np.isfinite(values)
    known = np.where(finite, values, 0.0)
    whole = max(_root_mean_square(known[finite]), _TINY)
    scale: Any
    match kind:
        case "std":
            scale = _spread(known[finite])
        case "mean_abs":
            scale = np.abs(known[finite]).mean() if finite.any() else 0.0
        case "abs":
            scale = np.abs(known)
        case "row":
            count = np.maximum(finite.sum(axis=-1, keepdims=True), 1) if values.ndim else 1
            scale = np.sqrt((known**2).sum(axis=-1, keepdims=True) / count) if values.ndim else np.abs(known)
    return np.broadcast_to(np.where(scale > 0, scale, whole), values.shape)


def _as_float64(output: AnyArray, reference: AnyArray) -> tuple[Floats, Floats]:
    if output.shape != reference.shape:
        raise ValueError(f"the output has shape {output.shape}, the reference {reference.shape}")
    return output.astype(np.float64), reference.astype(np.float64)


def _root_mean_square(values: Floats) -> float:
    return float(np.sqrt(np.mean(values**2))) if values.size else 0.0


def _spread(values: Floats) -> float:
    """Returns the standard deviation, or the RMS of a constant; positive."""
    size = _root_mean_square(values)
    spread = float(values.std()) if values.size else 0.0
    return max(spread if spread > CONSTANT_SPREAD * size else size, _TINY)


def _mismatch(flat_index: int, got: Floats, expected: Floats) -> Mismatch:
    index = tuple(int(i) for i in np.unravel_index(flat_index, got.shape))
    return Mismatch(index=index, expected=float(expected[index]), got=float(got[index]))


def _worst(units: Floats, valid: Mask, got: Floats, expected: Floats) -> Mismatch | None:
    return _mismatch(int(np.argmax(np.where(valid, units, -1.0))), got, expected) if valid.any() else None


def _histogram(errors: Floats, valid: Mask) -> ErrorHistogram:
    bins = np.where(valid, np.searchsorted(HISTOGRAM_EDGES, errors), len(HISTOGRAM_EDGES))
    counts = np.bincount(bins.ravel(), minlength=len(HISTOGRAM_EDGES) + 1)
    return ErrorHistogram(edges=HISTOGRAM_EDGES, counts=tuple(int(count) for count in counts))
