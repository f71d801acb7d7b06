import dataclasses
from collections.abc import Mapping

import jax
from jax import Array
from jax import numpy as jnp

from . import everything  # noqa: TID252
from .everything import SETTINGS, Two, _Direction, by_three, convert, half, norm, shift_rows, with_one  # noqa: TID252
from .numbers import HEIGHT, LIMIT, ORDER, PARTS, WIDTH  # noqa: TID252
from .registry import FUNCTIONS  # noqa: TID252


def down(x):
    """Rounds."""
    return jnp.floor(x)


up = everything.up


@dataclasses.dataclass(frozen=True)
class Normal:
    """Normal values."""

    std: float = 1.0

    def draw(
        self,
        key: Array,
        shape: tuple[int, ...],
        dims: Mapping[str, int],
        drawn: Mapping[str, Array],
    ) -> Array:
        """Draws."""
        del dims, drawn
        return self.scaled(jax.random.normal(key, shape))

    def scaled(self, values: Array) -> Array:
        """Scales."""
        return values * self.std


Noise = Normal


def rounding(factor: int, rounded):
    """Makes."""

    def made(x: Array, offset: int = factor + 1) -> Array:
        """Computes."""
        return rounded(x) * factor + offset

    return made


def reference(x: Array, weight: Array, *, axis: int) -> Array:
    total = jnp.sum(norm(x) @ weight, axis=axis) + HEIGHT / WIDTH
    clipped: Array = jnp.clip(half(everything.power_of(total)), LIMIT["low"], LIMIT["high"]) + LIMIT["middle"]
    moved = shift_rows(by_three(clipped), 1) + with_one(clipped)

    def weighted(values: Array) -> Array:
        """Adds."""
        return sum(
            values**order * part
            for order, part in zip(ORDER, PARTS, strict=False)  # in order
        )

    pair = Two(_Direction.UP.value, SETTINGS.total)
    return FUNCTIONS["floor"](weighted(moved)) * convert(pair.first) + pair.second * SETTINGS.gain()
