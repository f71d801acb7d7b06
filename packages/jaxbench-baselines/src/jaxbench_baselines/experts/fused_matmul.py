"""Dense matrix product that hands its tiles to an epilogue while the next one is multiplied.

**Tiling.** The product (M, K) @ (K, N) is cut into tiles of (bm, bn) with all of K in one step, so that no accumulator
is read and written between steps: the matrix unit adds up in float32 on its way. Steps go along N first. A block of
rows of `x` stays in VMEM for all tiles of its rows; the kernel copies the next one itself, a slice per step, so that
HBM is asked for the same amount in every step. Weights are read anew for every block of rows, M / bm times in all.
With bm = 1024 that is 1024 multiplications per weight read, above the 560 FLOP per byte of a v6e (two FLOPs per
multiplication, two bytes per weight): HBM is never the limit, the matrix unit is.

**Lag.** A tile waits in VMEM for `lag` steps before its epilogue runs, in the same step as the product of another
tile. The two do not depend on each other, so the compiler can fill the slots that the matrix unit leaves to the vector
units. A lag of 1 serves epilogues of single elements, groups of neighbours, and reductions of rows; a lag of N / bn,
one block of rows, those that need a statistic of the whole row before they can write its first element.

**VMEM** at M = 4096, K = N = 8192, bm = 1024, bn = 512, in MiB: two blocks of rows 2 * 16, two blocks of weights 2 * 8,
waiting tiles 2 (lag 1) or 32 (lag 16), two tiles of output 2 * 1. In all 52 or 82, and a few for what the compiler
spills. A v6e has 128; the kernel raises its limit to what it needs.

**Bottleneck** as predicted: the matrix unit (98% of the cycles executed) where the epilogue fits beside it.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jaxtyping import Array, Float

from jaxbench_baselines.experts.lagged_product import Operands, Plan, Product, Rows, Tile, Vector, product, run
from jaxbench_baselines.experts.row_statistics import RowStatistic

__all__ = ["Activation", "Operands", "Product", "map_tiles", "normalize_rows", "product", "reduce_rows"]

Activation = Callable[[jax.Array, Operands], jax.Array]


def map_tiles(
    of: Product,
    epilogue: Activation,
    *,
    vectors: Sequence[Vector] = (),
    tiles: Sequence[Rows] = (),
    lag: int = 1,
) -> Rows:
    """Returns `epilogue` of every tile of the product, in the dtype of `x`.

    Args:
        of: The product.
        epilogue: Takes the float32 tile, and a tuple of the (1, bn) parts of `vectors` and the (bm, bn) parts of
            `tiles`.
        vectors: Further inputs per column.
        tiles: Further inputs per element.
        lag: Steps between product and epilogue, 0 or 1; 0 is better for epilogues that are hardly any work.
    """

    def consume(tile: Tile, out: Any, state: Any, operands: Operands) -> None:
        del state
        out[...] = epilogue(tile, operands).astype(out.dtype)

    return run(Plan(of, consume, after=vectors, tiles=tiles, lag=lag))


def reduce_rows(
    of: Product,
    statistic: RowStatistic,
    activate: Callable[[jax.Array, Operands], Any],
    finish: Callable[[Operands], jax.Array],
    *,
    vectors: Sequence[Vector] = (),
    columns: Sequence[Float[Array, "M 1"]] = (),
    dtype: Any = None,
) -> Float[Array, "M 1"]:
    """Returns `finish` of a statistic over each row of the activated product.

    Args:
        of: The product.
        statistic: What is added up.
        activate: Takes the float32 tile, and a tuple of the (1, bn) parts of `vectors` and the (bm, 1) parts of
            `columns`; returns what the statistic adds.
        finish: Takes a tuple of the statistic's values of (bm, 1).
        vectors: Further inputs per column.
        columns: Further inputs per row.
        dtype: Of the result; that of `x` by default.
    """

    def begin(now: jax.Array, column: jax.Array, state: Any) -> None:
        del now

        @pl.when(column == 0)
        def _() -> None:
            statistic.start(state)

    def consume(tile: Tile, out: Any, state: Any, operands: Operands) -> None:
        del out
        statistic.add(state, activate(tile, operands))

    def end(column: jax.Array, out: Any, state: Any) -> None:
        @pl.when(column == of.columns - 1)
        def _() -> None:
            out[...] = finish(statistic.values(state)).astype(out.dtype)

    return run(
        Plan(
            of,
            consume,
            begin=begin,
            end=end,
            after=vectors,
            tiles=columns,
            state_count=statistic.count,
            is_reduction=True,
            dtype=dtype,
        )
    )


def normalize_rows(
    of: Product,
    statistic: RowStatistic,
    activate: Activation,
    finish: Callable[[jax.Array, Operands, Operands], jax.Array],
    *,
    before: Sequence[Vector] = (),
    after: Sequence[Vector] = (),
    tiles: Sequence[Rows] = (),
    flipped: bool = False,
) -> Rows:
    """Returns `finish` of every activated tile with a statistic over its whole rows, in the dtype of `x`.

    Args:
        of: The product.
        statistic: What is added up over a row.
        activate: Takes the float32 tile and a tuple of the (1, bn) parts of `before`.
        finish: Takes the activated tile, a tuple of the statistic's values (bm, 1), and a tuple of the (1, bn) parts of
            `after` and the (bm, bn) parts of `tiles`.
        before: Inputs per column of `activate`.
        after: Inputs per column of `finish`.
        tiles: Inputs of `finish` per element, or per row as (M, 1).
        flipped: Whether the result is (N, M): then the rows of the product are the columns of what is wanted.
    """
    count = statistic.count

    def begin(now: jax.Array, column: jax.Array, state: Any) -> None:
        del column  # While the first row of tiles is multiplied, none is consumed.

        @pl.when(now == 0)
        def _() -> None:  # The row's last tile was added in the step before; the first of the next comes in this one.
            for index, value in enumerate(statistic.values(state)):
                state[count + index] = jnp.broadcast_to(value, state.shape[1:])
            statistic.start(state)

    def produce(tile: Tile, state: Any, operands: Operands) -> Tile:
        activated = activate(tile, operands)
        statistic.add(state, activated)
        return activated

    def consume(tile: Tile, out: Any, state: Any, operands: Operands) -> None:
        values = tuple(state[count + index][:, :1] for index in range(count))
        finished = finish(tile, values, operands)
        out[...] = (finished.T if flipped else finished).astype(out.dtype)

    return run(
        Plan(
            of,
            consume,
            produce,
            begin=begin,
            before=before,
            after=after,
            tiles=tiles,
            state_count=2 * count,
            lag=of.columns,
            flipped=flipped,
        )
    )
