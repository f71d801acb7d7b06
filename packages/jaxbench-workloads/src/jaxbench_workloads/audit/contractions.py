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

_PARTS = 16
"""Parts of a contraction that are summed one after the other."""

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


@functools.partial(jax.jit, static_argnums=1)
def to_bfloat16(values: jax.Array, axis: int) -> jax.Array:
    """Rounds to bfloat16, as a matrix unit takes its operands."""
    del axis
    return values.astype(jnp.bfloat16).astype(values.dtype)


@functools.partial(jax.jit, static_argnums=1)
def to_int8(values: jax.Array, axis: int) -> jax.Array:
    """Rounds to 255 levels with one scale per row: symmetric int8 quantization at its best."""
    scale = _largest(values, axis) / _INT8_MAX
    return jnp.round(values / scale) * scale


@functools.partial(jax.jit, static_argnums=1)
def to_float8(values: jax.Array, axis: int) -> jax.Array:
    """Rounds to float8 (e4m3) with one scale per row."""
    scale = _largest(values, axis) / float(jnp.finfo(jnp.float8_e4m3fn).max)
    return (values / scale).astype(jnp.float8_e4m3fn).astype(values.dtype) * scale


def accumulated_in(dtype: jax.typing.DTypeLike) -> Replacement:
    """Returns the contraction whose running sum is rounded to `dtype` after each of its parts."""

    def replacement(equation: JaxprEqn, values: Values) -> Values:
        return [functools.reduce(add, _partial_results(equation, values))]

    @jax.jit
    def add(total: jax.Array, part: jax.Array) -> jax.Array:
        return (total + part).astype(dtype).astype(part.dtype)

    return replacement


def in_other_order(equation: JaxprEqn, values: Values) -> Values:
    """Sums over parts of the contracted axis, last to first."""
    parts = list(_partial_results(equation, values))
    return [functools.reduce(jnp.add, reversed(parts))]


def _largest(values: jax.Array, axis: int) -> jax.Array:
    largest = jnp.max(jnp.abs(values), axis=axis, keepdims=True)
    return jnp.where(largest > 0, largest, 1.0)


def _partial_results(equation: JaxprEqn, values: Values) -> Iterator[jax.Array]:
    axes = contracted_axes(equation)
    length = values[0].shape[axes[0]]
    tile = -(-length // _PARTS)
    for start in range(0, length, tile):
        # The last part begins early; what it shares with the one before counts as 0.
        first = min(start, length - tile)
        operands = [
            _masked_slice(value, first, start - first, tile, axis) for value, axis in zip(values[:2], axes, strict=True)
        ]
        yield bind(equation, [*operands, *values[2:]])[0]


@functools.partial(jax.jit, static_argnames=("tile", "axis"))
def _masked_slice(values: jax.Array, first: jax.Array, masked: jax.Array, tile: int, axis: int) -> jax.Array:
    """Returns `tile` slices from `first` on, of which the leading `masked` are 0."""
    part = jax.lax.dynamic_slice_in_dim(values, first, tile, axis=axis)
    return jnp.where(jax.lax.broadcasted_iota(jnp.int32, part.shape, axis) < masked, 0, part)
