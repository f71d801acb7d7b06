"""Block sizes that fit a shape, and rows that no block is for."""

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

    return jax.lax.cond(used < rows.shape[0], cleared, lambda rows: rows, rows)
