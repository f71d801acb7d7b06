"""Block sizes that fit a shape, and rows that no block is for."""

from typing import cast

import jax
import jax.numpy as jnp

LANES = 128
"""Elements of the last axis of a TPU's vector registers; blocks of other lengths are padded to it."""


def block_size(extent: int, wanted: int, *, steps: int = 2, multiple: int = LANES) -> int:
    """Returns the largest multiple of `multiple` up to `wanted` that divides `extent` into `steps` blocks or more.

    Two steps are asked for so that the small sizes, at which numbers are checked, also go through every loop of a
    kernel. Where no block leaves that many, the largest one that divides; where none does, the whole extent.
    """
    fits = [block for block in range(multiple, min(extent, wanted) + 1, multiple) if extent % block == 0]
    stepping = [block for block in fits if extent // block >= steps]
    return max(stepping, default=max(fits, default=extent))


def clear_rest(rows: jax.Array, used: jax.Array) -> jax.Array:
    """Returns the rows with 0 from row `used` on, which a kernel left unwritten; where none are, touches nothing."""

    def cleared(rows: jax.Array) -> jax.Array:
        index = jax.lax.broadcasted_iota(jnp.int32, rows.shape, 0)
        return jnp.where(index < used, rows, 0)

    def untouched(rows: jax.Array) -> jax.Array:
        return rows

    return cast("jax.Array", jax.lax.cond(used < rows.shape[0], cleared, untouched, rows))


def first_axis(i: jax.Array) -> tuple[jax.Array | int, ...]:
    """Index map of blocks of rows in a grid of one axis."""
    return i, 0


def last_axis(i: jax.Array) -> tuple[jax.Array | int, ...]:
    """Index map of blocks of columns in a grid of one axis."""
    return 0, i


def the_same(i: jax.Array) -> tuple[jax.Array | int, ...]:
    """Index map of a matrix that every step of a grid of one axis takes whole."""
    del i
    return 0, 0


def batched_rows(batch: jax.Array, i: jax.Array) -> tuple[jax.Array | int, ...]:
    """Index map of blocks of rows of one matrix of a batch."""
    return batch, i, 0


def batched_whole(batch: jax.Array, i: jax.Array) -> tuple[jax.Array | int, ...]:
    """Index map of one whole matrix of a batch."""
    del i
    return batch, 0, 0
