"""Statistics over the rows of a matrix that is seen tile by tile.

Each is kept per lane, 128 values for a row, and the lanes meet once when the row is complete: adding a tile needs no
exchange between lanes, which is slow.
"""

from typing import Any, ClassVar, Protocol

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from jaxbench_baselines.experts.tiling import LANES

Tile = Float[Array, "bm bn"]
Column = Float[Array, "bm 1"]
_LOWEST = -1e30
"""Below every finite value that is compared here; its difference to another one is finite, unlike infinity's."""


class RowStatistic(Protocol):
    """What is added up over each row.

    Attributes:
        count: Arrays of (bm, 128) float32 that it keeps, `state[0]` to `state[count - 1]`.
    """

    count: ClassVar[int]

    def start(self, state: Any) -> None:
        """Writes what the statistic of nothing is."""
        ...

    def add(self, state: Any, tile: Any) -> None:
        """Adds a float32 tile, or what else the statistic is of."""
        ...

    def values(self, state: Any) -> tuple[Column, ...]:
        """Returns the `count` values of each row."""
        ...


class Maximum:
    """The largest element."""

    count: ClassVar[int] = 1

    def start(self, state: Any) -> None:
        """See `RowStatistic`."""
        state[0] = jnp.full(state.shape[1:], _LOWEST)

    def add(self, state: Any, tile: Tile) -> None:
        """See `RowStatistic`."""
        state[0] = _largest([state[0], *_lanes(tile)])

    def values(self, state: Any) -> tuple[Column, ...]:
        """See `RowStatistic`."""
        return (jnp.max(state[0], axis=-1, keepdims=True),)


class Minimum:
    """The smallest element."""

    count: ClassVar[int] = 1

    def start(self, state: Any) -> None:
        """See `RowStatistic`."""
        state[0] = jnp.full(state.shape[1:], -_LOWEST)

    def add(self, state: Any, tile: Tile) -> None:
        """See `RowStatistic`."""
        state[0] = -_largest([-state[0], *(-lane for lane in _lanes(tile))])

    def values(self, state: Any) -> tuple[Column, ...]:
        """See `RowStatistic`."""
        return (jnp.min(state[0], axis=-1, keepdims=True),)


class Sum:
    """The sum of the elements."""

    count: ClassVar[int] = 1

    def start(self, state: Any) -> None:
        """See `RowStatistic`."""
        state[0] = jnp.zeros(state.shape[1:])

    def add(self, state: Any, tile: Tile) -> None:
        """See `RowStatistic`."""
        state[0] += sum(_lanes(tile))

    def values(self, state: Any) -> tuple[Column, ...]:
        """See `RowStatistic`."""
        return (jnp.sum(state[0], axis=-1, keepdims=True),)


class Moments:
    """The sums of the elements and of their squares."""

    count: ClassVar[int] = 2

    def start(self, state: Any) -> None:
        """See `RowStatistic`."""
        state[0] = state[1] = jnp.zeros(state.shape[1:])

    def add(self, state: Any, tile: Tile) -> None:
        """See `RowStatistic`."""
        state[0] += sum(_lanes(tile))
        state[1] += sum(_lanes(tile * tile))

    def values(self, state: Any) -> tuple[Column, ...]:
        """See `RowStatistic`."""
        return jnp.sum(state[0], axis=-1, keepdims=True), jnp.sum(state[1], axis=-1, keepdims=True)


class Exponentials:
    """The largest element, and the sum of exp(element - largest): what a softmax or a log-sum-exp is made of.

    The sum is rescaled whenever a lane's largest grows, as in online softmax (Milakov and Gimelshein, 2018).
    """

    count: ClassVar[int] = 2

    def start(self, state: Any) -> None:
        """See `RowStatistic`."""
        state[0] = jnp.full(state.shape[1:], _LOWEST)
        state[1] = jnp.zeros(state.shape[1:])

    def add(self, state: Any, tile: Tile) -> None:
        """See `RowStatistic`."""
        old, lanes = state[0], _lanes(tile)
        new = _largest([old, *lanes])
        state[0] = new
        state[1] = state[1] * jnp.exp(old - new) + sum(jnp.exp(lane - new) for lane in lanes)

    def values(self, state: Any) -> tuple[Column, ...]:
        """See `RowStatistic`."""
        largest = jnp.max(state[0], axis=-1, keepdims=True)
        return largest, jnp.sum(state[1] * jnp.exp(state[0] - largest), axis=-1, keepdims=True)


class ExponentialsAndSum:
    """`Exponentials` of one tile and `Sum` of another."""

    count: ClassVar[int] = 3

    def start(self, state: Any) -> None:
        """See `RowStatistic`."""
        Exponentials().start(state)
        state[2] = jnp.zeros(state.shape[1:])

    def add(self, state: Any, tile: tuple[Tile, Tile]) -> None:
        """See `RowStatistic`; takes both tiles."""
        exponentiated, summed = tile
        Exponentials().add(state, exponentiated)
        state[2] += sum(_lanes(summed))

    def values(self, state: Any) -> tuple[Column, ...]:
        """See `RowStatistic`."""
        return *Exponentials().values(state), jnp.sum(state[2], axis=-1, keepdims=True)


def _lanes(tile: Tile) -> list[jax.Array]:
    return [tile[:, start : start + LANES] for start in range(0, tile.shape[1], LANES)]


def _largest(arrays: list[jax.Array]) -> jax.Array:
    first, *others = arrays
    for other in others:
        first = jnp.maximum(first, other)
    return first
