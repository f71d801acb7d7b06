"""One draw of inputs, and the judgement of answers to it."""

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from jaxbench_harness.check import Measurement, measure, metrics_with_limits, nonfinite_pattern, rejects
from jaxbench_harness.check.reference import draw_inputs, exact_reference, native_reference
from jaxbench_harness.tracing.rewrites import widened
from jaxbench_harness.workload import Size, Workload

Array = NDArray[Any]
Floats = NDArray[np.float64]


class Draw:
    """Inputs of a workload, the reference on them, and the noise floor."""

    def __init__(self, workload: Workload, size: Size, distribution: str, seed: int) -> None:
        """Draws the inputs and evaluates the reference, exact and native."""
        self.workload = workload
        self.distribution = distribution
        self.seed = seed
        self.inputs = draw_inputs(workload, size, distribution, seed)
        self._exact = exact_reference(workload, size, self.inputs)
        self.native = native_reference(workload, size, self.inputs)

    @functools.cached_property
    def exact(self) -> Floats:
        """The right answer."""
        return self._exact.astype(np.float64)

    @functools.cached_property
    def spread(self) -> float:
        """Standard deviation of the right answer, its magnitude where it is constant."""
        return float(self.exact.std()) or float(np.abs(self.exact).max(initial=0.0)) or 1.0

    @functools.cached_property
    def noise(self) -> Measurement:
        """The native reference, measured."""
        return measure(self.native, self._exact, self.workload.tolerance)

    @functools.cached_property
    def noise_rms(self) -> float:
        """RMS error of the native reference over the spread."""
        return self.error_of(self.native.astype(np.float64)) or 0.0

    @functools.cached_property
    def float32_inputs(self) -> dict[str, jax.Array]:
        """The inputs by name, floating ones in float32."""
        return {name: widened(array) for name, array in self.inputs.items()}

    def error_of(self, answer: Floats) -> float | None:
        """Returns the RMS error over the spread, None where the answer is not finite or the error overflows."""
        with np.errstate(all="ignore"):
            error = float(np.sqrt(np.mean(np.square(answer - self.exact)))) / self.spread
        return error if math.isfinite(error) else None

    def rejects(self, answer: Floats) -> bool:
        """Returns whether the check rejects an answer, rounded to the output's dtype."""
        return rejects(self._rounded(answer), self._exact, self.noise, self.workload.tolerance)

    def margin(self, answer: Floats) -> tuple[float, str]:
        """Returns the largest share of its limit that a metric of an answer reaches, and that metric."""
        rounded, tolerance = self._rounded(answer), self.workload.tolerance
        if nonfinite_pattern(rounded, self._exact) is not None:
            return math.inf, "non_finite"
        return self._worst_share(measure(rounded, self._exact, tolerance))

    def native_margin(self) -> tuple[float, str]:
        """Returns the margin of the native reference."""
        return self._worst_share(self.noise)

    def with_ignored(self, name: str) -> jax.Array:
        """Returns an input of the mean of the one that was drawn; one of integers repeats its first element."""
        array = self.float32_inputs[name]
        floating = jnp.issubdtype(array.dtype, jnp.floating)
        return jnp.full_like(array, array.mean() if floating else array.ravel()[0])

    def _worst_share(self, measured: Measurement) -> tuple[float, str]:
        metrics = metrics_with_limits(measured.values, self.noise.values, self.workload.tolerance)
        return max((_share(metric.value, metric.limit), metric.name) for metric in metrics)

    def _rounded(self, answer: Floats) -> Array:
        with np.errstate(all="ignore"):
            return answer.astype(np.float32).astype(self.native.dtype)


def _share(value: float, limit: float) -> float:
    return value / limit if limit else math.inf if value else 0.0
