from dataclasses import dataclass

import jax
import jax.numpy as jnp

from . import layers, tables  # noqa: TID252
from . import standardize as normalized  # noqa: TID252
from .layers import converted, halved, one_more, shifted_rows, tripled  # noqa: TID252
from .tables import ACTIVATIONS, COLUMNS, CONFIG, LIMITS, ORDERS, WEIGHTS, Mode, Pair  # noqa: TID252

UNUSED = 5


def reference(x, weight, *, axis):
    """Uses a definition of every kind."""
    total = jnp.sum(normalized(x) @ weight, axis=axis) + tables.ROWS / COLUMNS
    clipped = jnp.clip(halved(layers.square(total)), LIMITS["low"], LIMITS["high"]) + LIMITS["middle"]
    moved = shifted_rows(tripled(clipped), 1) + one_more(clipped)

    def weighted(values):
        return sum(values**order * part for order, part in zip(ORDERS, WEIGHTS, strict=False))

    pair = Pair(Mode.UP.value, CONFIG.total)
    return ACTIVATIONS["floor"](weighted(moved)) * converted(pair.first) + pair.second * CONFIG.gain()


@dataclass(frozen=True)
class Noise:
    std: float = 1.0

    def draw(self, key, shape, dims, drawn):
        del dims, drawn
        return self.scaled(jax.random.normal(key, shape))

    def scaled(self, values):
        return values * self.std


def rounding(factor, rounded):
    def made(x, offset=factor + 1):
        return rounded(x) * factor + offset

    return made


def down(x):
    return jnp.floor(x)


def up(x):
    return jnp.ceil(x)
