"""Named input distributions: functions of a key, a shape and the workload's dims.

Draws are made in float32 (or int32) and cast by the caller: drawing normals in bfloat16 directly yields 128 distinct
values with a biased mean. A distribution is a frozen dataclass, so its name and parameters are data that a workload's
digest covers. It may look at the inputs drawn before it, for inputs that must fit each other.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import jax
import jax.numpy as jnp

from jaxbench_harness.formulas import Dims, Formula, evaluate

Drawn = Mapping[str, jax.Array]


class Distribution(Protocol):
    """What a distribution of one input must be: a frozen dataclass with a `draw`."""

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Draws one input.

        Args:
            key: Typed PRNG key, used for nothing else.
            shape: Shape to draw.
            dims: Dims of the size.
            drawn: Inputs drawn before this one, by name, in their own dtypes.

        Returns:
            float32 or int32 array of `shape`.
        """
        ...


@dataclass(frozen=True)
class Normal:
    """Independent normal values; `mean` and `std` are formulas over the dims."""

    std: Formula = 1.0
    mean: Formula = 0.0

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Draws float32; see `Distribution`."""
        del drawn
        return jax.random.normal(key, shape) * evaluate(self.std, dims) + evaluate(self.mean, dims)


@dataclass(frozen=True)
class Uniform:
    """Independent uniform values in [low, high)."""

    low: Formula = 0.0
    high: Formula = 1.0

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Draws float32; see `Distribution`."""
        del drawn
        return jax.random.uniform(key, shape, minval=evaluate(self.low, dims), maxval=evaluate(self.high, dims))


@dataclass(frozen=True)
class Constant:
    """The same value everywhere: for degenerate verification distributions, never alone in a workload."""

    value: Formula = 0.0

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Returns float32; see `Distribution`."""
        del key, drawn
        return jnp.full(shape, evaluate(self.value, dims), jnp.float32)


@dataclass(frozen=True)
class SpreadRows:
    """Normal values whose rows differ in scale by orders of magnitude, with a few outlier channels.

    Each row along the last axis is multiplied by 10**u, u uniform in [low_exponent, high_exponent); `outliers`
    channels, evenly spaced, are multiplied by `outlier_factor`. Small rows make an epsilon matter.
    """

    low_exponent: float = -2.5
    high_exponent: float = 1.0
    outliers: int = 4
    outlier_factor: float = 20.0

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Draws float32; see `Distribution`."""
        del dims, drawn
        value_key, row_key = jax.random.split(key)
        exponent = jax.random.uniform(row_key, (*shape[:-1], 1), minval=self.low_exponent, maxval=self.high_exponent)
        gain = jnp.ones(shape[-1])
        if self.outliers:
            spacing = shape[-1] / self.outliers
            channels = [int((channel + 0.5) * spacing) for channel in range(self.outliers)]
            gain = gain.at[jnp.array(channels)].set(self.outlier_factor)
        return jax.random.normal(value_key, shape) * 10.0**exponent * gain


@dataclass(frozen=True)
class OutlierElements:
    """Normal values of which a random `share` is multiplied by `factor`."""

    std: Formula = 1.0
    factor: float = 10.0
    share: float = 1 / 256

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Draws float32; see `Distribution`."""
        del drawn
        value_key, place_key = jax.random.split(key)
        gain = jnp.where(jax.random.bernoulli(place_key, self.share, shape), self.factor, 1.0)
        return jax.random.normal(value_key, shape) * evaluate(self.std, dims) * gain


@dataclass(frozen=True)
class Cancelling:
    """Another distribution, with two slices far apart along one axis that are alike but for a sign.

    Where one operand of a contraction has `sign` 1 and the other -1 along the contracted axis, the two slices
    contribute large terms that cancel. A running sum in a narrow dtype, operands in few levels and terms left out
    show, whatever the rest of the values is.

    Attributes:
        base: The other distribution.
        axis: The axis.
        gain: Factor of the two slices.
        sign: 1 or -1: sign of the second slice relative to the first.
    """

    base: Distribution
    axis: int
    gain: Formula = 1.0
    sign: int = 1

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Draws float32; see `Distribution`."""
        values = self.base.draw(key, shape, dims, drawn)
        extent = shape[self.axis]
        first, second = extent // 8, extent - 1 - extent // 8
        taken = jax.lax.index_in_dim(values, first, self.axis) * evaluate(self.gain, dims)
        position = jax.lax.broadcasted_iota(jnp.int32, shape, self.axis % len(shape))
        values = jnp.where(position == first, taken, values)
        return jnp.where(position == second, taken * self.sign, values)


def with_cancelling(
    distributions: Mapping[str, Mapping[str, Distribution]], gain: Formula, **axes: int
) -> dict[str, Mapping[str, Distribution]]:
    """Returns input distributions and one more, `cancelling`: `standard` with the two operands of a contraction so.

    Args:
        distributions: For each distribution one per input; `standard` must exist.
        gain: Factor of the second operand's slices. That of the first operand's is 16; both together should make a
            term some 50 times as large as the result.
        **axes: Contracted axis by input, first and second operand.

    Raises:
        ValueError: If `axes` names other than two inputs.
    """
    if len(axes) != 2:
        raise ValueError(f"a contraction has two operands, got {sorted(axes)}")
    (first, first_axis), (second, second_axis) = axes.items()
    standard = distributions["standard"]
    operands = {
        first: Cancelling(standard[first], first_axis, _FIRST_GAIN),
        second: Cancelling(standard[second], second_axis, gain, sign=-1),
    }
    return {**distributions, "cancelling": {**standard, **operands}}


_FIRST_GAIN = 16
