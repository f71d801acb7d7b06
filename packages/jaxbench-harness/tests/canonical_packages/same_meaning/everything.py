"""The same meaning: other modules, order, private names, docstrings, comments, annotations and layout."""

import functools as ft
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple, cast

import jax
from jax import Array
from jax import numpy as np_

NOT_USED: int = 6
_EPSILON: float = 1e-6


def up(x):
    return np_.ceil(x)


class Parent:
    """Has a gain."""

    def gain(self) -> int:
        # Three.
        return 3


@dataclass(frozen=True)
class Settings(Parent):
    """Settings."""

    alpha: "float" = 0.5
    beta: Any = field(default=(1.0, 2.0))

    @property
    def total(self) -> float:
        """Returns the total."""
        return self.alpha + sum(self.beta)


SETTINGS = Settings(beta=(1.0, 3.0))


class Two(NamedTuple):
    """Two numbers."""

    first: int
    second: "float" = 2.0


class _Direction(Enum):
    UP = 1
    DOWN = -1


def shift(x: Array, offset: Array) -> Array:
    return x + offset


with_one = ft.partial(shift, offset=1)
shift_rows = jax.vmap(
    shift,
    in_axes=(0, None),
)


def times(factor: float):
    """Returns a function."""
    return lambda x: x * factor


by_three = times(3)


@ft.singledispatch
def convert(x: Any) -> Any:
    """Converts."""
    return x


@convert.register
def _of_integer(x: int) -> float:
    return float(x)


def two_times(function):
    """Decorates."""

    @ft.wraps(function)
    def twice(x: Array) -> Array:
        """Calls."""
        return 2 * function(x)

    return twice


@ft.partial(jax.jit, static_argnames="power")
@two_times
def half(x: Array, power: int = 1) -> Array:
    return x / 2**power


def power_of(x: "Array", *, order: "int" = 2) -> "Array":
    if order < 1:
        raise ValueError("another wording") from None
    return cast("Array", x**order)


def norm(
    x: Array,
    axis: int = -1,
) -> Array:
    """Returns.

    In two paragraphs.
    """
    centred: Array = x - np_.mean(x, axis=axis, keepdims=True)  # The mean.
    return centred * jax.lax.rsqrt(
        np_.mean(power_of(centred), axis=axis, keepdims=True) + _EPSILON,
    )
