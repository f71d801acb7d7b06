"""Other ways to contract: truncated, in low precision, in another order. Replacements of contraction equations."""

# JAX annotates its own jaxprs only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import functools
from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp
from jax.extend.core import JaxprEqn

from jaxbench_workloads.audit.equations import Replacement, Values, aval, bind

NAMES = frozenset({"dot_general", "ragged_dot_general", "conv_general_dilated"})

_ACCUMULATOR_TILE = 8
"""Terms summed in float32 before an accumulator is rounded: the depth of one pass of a systolic array, or less."""

_REORDERED_TILE = 64
_INT8_MAX = 127.0

Rounding = Callable[[jax.Array, int], jax.Array]
"""Rounds an operand; the axis is the one that is contracted."""


def contracted_axes(equation: JaxprEqn) -> tuple[int, int]:
    """Returns the contracted axis of both operands: the longest one of several, input features of a convolution."""
    if equation.primitive.name == "conv_general_dilated":
        numbers = equation.params["dimension_numbers"]
        return numbers.lhs_spec[1], numbers.rhs_spec[1]
    if equation.primitive.name == "ragged_dot_general":
        (lhs, rhs), _ = equation.params["ragged_dot_dimension_numbers"].dot_dimension_numbers
    else:
        (lhs, rhs), _ = equation.params["dimension_numbers"]
    shape: tuple[int, ...] = aval(equation.invars[0]).shape
    pairs: list[tuple[int, int]] = list(zip(lhs, rhs, strict=True))
    return max(pairs, key=lambda pair: shape[pair[0]])


def without_last_tile(equation: JaxprEqn, values: Values) -> Values:
    """Leaves out the last eighth of the contraction, at least one term."""
    axis, _ = contracted_axes(equation)
    length = values[0].shape[axis]
    kept = length - max(1, length // 8)
    position = jax.lax.broadcasted_iota(jnp.int32, values[0].shape, axis)
    return bind(equation, [jnp.where(position < kept, values[0], 0), *values[1:]])


def with_operands(rounding: Rounding) -> Replacement:
    """Returns the contraction of rounded operands."""

    def replacement(equation: JaxprEqn, values: Values) -> Values:
        axes = contracted_axes(equation)
        rounded = [rounding(value, axis) for value, axis in zip(values[:2], axes, strict=True)]
        return bind(equation, [*rounded, *values[2:]])

    return replacement


def to_bfloat16(values: jax.Array, axis: int) -> jax.Array:
    """Rounds to bfloat16, as a matrix unit takes its operands."""
    del axis
    return values.astype(jnp.bfloat16).astype(values.dtype)


def to_int8(values: jax.Array, axis: int) -> jax.Array:
    """Rounds to 255 levels with one scale per row: symmetric int8 quantization at its best."""
    scale = _largest(values, axis) / _INT8_MAX
    return jnp.round(values / scale) * scale


def to_float8(values: jax.Array, axis: int) -> jax.Array:
    """Rounds to float8 (e4m3) with one scale per row."""
    scale = _largest(values, axis) / float(jnp.finfo(jnp.float8_e4m3fn).max)
    return (values / scale).astype(jnp.float8_e4m3fn).astype(values.dtype) * scale


def accumulated_in(dtype: jax.typing.DTypeLike) -> Replacement:
    """Returns the contraction whose running sum is rounded to `dtype` after every few terms."""

    def replacement(equation: JaxprEqn, values: Values) -> Values:
        total = functools.reduce(
            lambda total, part: (total + part).astype(dtype).astype(part.dtype),
            _partial_results(equation, values, _ACCUMULATOR_TILE),
        )
        return [total.astype(dtype).astype(total.dtype)]

    return replacement


def in_other_order(equation: JaxprEqn, values: Values) -> Values:
    """Sums over tiles of the contracted axis, last to first."""
    parts = list(_partial_results(equation, values, _REORDERED_TILE))
    return [functools.reduce(jnp.add, reversed(parts))]


def _largest(values: jax.Array, axis: int) -> jax.Array:
    largest = jnp.max(jnp.abs(values), axis=axis, keepdims=True)
    return jnp.where(largest > 0, largest, 1.0)


def _partial_results(equation: JaxprEqn, values: Values, tile: int) -> Iterator[jax.Array]:
    lhs_axis, rhs_axis = contracted_axes(equation)
    length = values[0].shape[lhs_axis]
    for start in range(0, length, tile):
        stop = min(start + tile, length)
        lhs = jax.lax.slice_in_dim(values[0], start, stop, axis=lhs_axis)
        rhs = jax.lax.slice_in_dim(values[1], start, stop, axis=rhs_axis)
        yield bind(equation, [lhs, rhs, *values[2:]])[0]
