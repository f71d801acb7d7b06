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

import functools
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, cast

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jaxtyping import Array, Float

from jaxbench_baselines.experts.row_statistics import RowStatistic
from jaxbench_baselines.experts.tiling import LANES, block_size

Tile = Float[Array, "bm bn"]
Weight = Float[Array, "K N"] | Float[Array, "N K"] | Float[Array, "G K N"]
Vector = Float[Array, " N"]
Column = Float[Array, "bm 1"]
Rows = Float[Array, "M N"]

Operands = tuple[jax.Array, ...]
Place = tuple[jax.Array, jax.Array]
Activation = Callable[[jax.Array, Operands], jax.Array]

VMEM_MIB = 112
"""What the kernel may use; the rest of the 128 MiB is left to what the compiler keeps there itself."""


@dataclass(frozen=True, kw_only=True)
class Product:
    """What is multiplied, and how it is cut.

    Attributes:
        x: Activations (M, K).
        weight: Weights (K, N), or (N, K) where they are transposed, or (G, K, N): one for each of G groups of rows.
        bm: Rows of a tile; divides M.
        bn: Columns of a tile; divides N.
        at_once: Rows of a tile that are worked on at once, after the epilogue of as many: the fewer, the better the
            two overlap, and the longer it takes to compile.
        transposed: Whether the weights are (N, K).
    """

    x: Float[Array, "M K"]
    weight: Weight
    bm: int
    bn: int
    at_once: int
    transposed: bool = False

    @property
    def shape(self) -> tuple[int, int, int]:
        """M, K and N."""
        return self.x.shape[0], self.x.shape[1], self.weight.shape[0 if self.transposed else -1]

    @property
    def columns(self) -> int:
        """Tiles along N."""
        return self.shape[2] // self.bn


def product(
    x: Float[Array, "M K"],
    weight: Weight,
    *,
    bm: int,
    bn: int,
    at_once: int,
    transposed: bool = False,
) -> Product:
    """Returns the product cut into tiles of up to (bm, bn) that divide it and lie in one group of rows."""
    width = weight.shape[0 if transposed else -1]
    height = x.shape[0] // weight.shape[0] if weight.ndim == 3 else x.shape[0]
    return Product(
        x=x,
        weight=weight,
        bm=block_size(height, bm, steps=1 if weight.ndim == 3 else 2),
        bn=block_size(width, bn),
        at_once=at_once,
        transposed=transposed,
    )


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

    return _run(_Plan(of, consume, after=vectors, tiles=tiles, lag=lag))


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

    return _run(
        _Plan(
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
        tiles: Inputs per element of `finish`.
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
        out[...] = finish(tile, values, operands).astype(out.dtype)

    return _run(
        _Plan(
            of,
            consume,
            produce,
            begin=begin,
            before=before,
            after=after,
            tiles=tiles,
            state_count=2 * count,
            lag=of.columns,
        )
    )


def _nothing(*_: Any) -> None:
    """Does nothing."""


def _as_it_is(tile: Tile, state: Any, operands: Operands) -> Tile:
    del state, operands
    return tile


@dataclass(frozen=True)
class _Plan:
    """What happens to the tiles of a product.

    Attributes:
        of: The product.
        consume: Given rows of a tile `lag` steps after it was multiplied, those of the output block and the state, and
            the parts of `after` and `tiles`; writes the output.
        produce: Given rows of a tile when it was multiplied, those of the state, and the parts of `before`; returns
            what waits.
        begin: Runs before them, given the columns of the tiles multiplied and consumed, and the state.
        end: Runs after them, given the column of the tile that is consumed, the output block, and the state.
        before: Vectors for `produce`.
        after: Vectors for `consume`.
        tiles: Matrices, or columns, for `consume`.
        state_count: Arrays of (bm, 128) float32 that outlast a step.
        lag: Steps that a tile waits; 0 hands it on within its step.
        is_reduction: Whether the output has one column.
        dtype: Of the output; that of `x` by default.
    """

    of: Product
    consume: Callable[..., None]
    produce: Callable[..., Tile] = _as_it_is
    _: KW_ONLY
    begin: Callable[..., None] = _nothing
    end: Callable[..., None] = _nothing
    before: Sequence[Vector] = ()
    after: Sequence[Vector] = ()
    tiles: Sequence[Rows] = ()
    state_count: int = 0
    lag: int = 1
    is_reduction: bool = False
    dtype: Any = None

    @property
    def slices(self) -> int:
        """Pieces in which a block of rows is copied: as many as there are steps, of rows that fill whole registers."""
        return max(count for count in range(1, self.of.columns + 1) if self.of.bm % (16 * count) == 0 or count == 1)

    @property
    def parts(self) -> list[slice]:
        """Rows of a tile that are worked on at once."""
        height = block_size(self.of.bm, self.of.at_once, steps=1)
        return [slice(start, start + height) for start in range(0, self.of.bm, height)]

    def now(self, row: jax.Array, column: jax.Array) -> Place:
        """Returns row and column of the tile that is multiplied in a step; after the last one, of the last."""
        last = self.of.shape[0] // self.of.bm - 1
        return jnp.minimum(row, last), jnp.where(row <= last, column, self.of.columns - 1)

    def then(self, row: jax.Array, column: jax.Array) -> Place:
        """Returns row and column of the tile whose epilogue runs; before the first one, of the first."""
        if not self.lag:
            return row, column
        end = self.of.columns - 1
        if self.lag > 1:  # That many columns ago: in the row above.
            return jnp.maximum(row - 1, 0), jnp.where(row > 0, column, 0)
        row, column = self.now(jnp.where(column == 0, row - 1, row), jnp.where(column == 0, end, column - 1))
        return jnp.maximum(row, 0), jnp.where(row >= 0, column, 0)


def _run(plan: _Plan) -> jax.Array:
    of = plan.of
    (m, k, n), bm, bn = of.shape, of.bm, of.bn
    vector = (1, bn)
    grouped = of.weight.ndim == 3
    weight = (None, k, bn) if grouped else (bn, k) if of.transposed else (k, bn)

    def of_weight(row: jax.Array, column: jax.Array) -> tuple[Any, ...]:
        row, column = plan.now(row, column)
        if grouped:
            return lax.div(row, of.shape[0] // bm // of.weight.shape[0]), 0, column
        return (column, 0) if of.transposed else (0, column)

    def of_vector_now(row: jax.Array, column: jax.Array) -> tuple[Any, ...]:
        return 0, plan.now(row, column)[1]

    def of_vector_then(row: jax.Array, column: jax.Array) -> tuple[Any, ...]:
        return 0, plan.then(row, column)[1]

    def of_row(row: jax.Array, column: jax.Array) -> tuple[Any, ...]:
        return plan.then(row, column)[0], 0

    def of_operand(operand: jax.Array) -> pl.BlockSpec:
        """Returns the blocks of a matrix, or of a column."""
        if operand.shape[1] == 1:
            return pl.BlockSpec((bm, 1), of_row)
        return pl.BlockSpec((bm, bn), plan.then)

    out_shape, out_block = ((m, 1), (bm, 1)) if plan.is_reduction else ((m, n), (bm, bn))
    result = pl.pallas_call(
        functools.partial(_step, plan),
        grid=(m // bm + min(plan.lag, 1), of.columns),
        in_specs=[
            pl.BlockSpec(memory_space=pl.ANY),
            pl.BlockSpec(weight, of_weight),
            *(pl.BlockSpec(vector, of_vector_now) for _ in plan.before),
            *(pl.BlockSpec(vector, of_vector_then) for _ in plan.after),
            *map(of_operand, plan.tiles),
        ],
        out_specs=pl.BlockSpec(out_block, of_row if plan.is_reduction else plan.then),
        out_shape=jax.ShapeDtypeStruct(out_shape, plan.dtype or of.x.dtype),
        scratch_shapes=[
            pltpu.VMEM((2, bm, k), of.x.dtype),
            pltpu.SemaphoreType.DMA((2,)),
            pltpu.VMEM((plan.lag or 1, bm, bn), jnp.float32),
            pltpu.VMEM((max(plan.state_count, 1), bm, LANES), jnp.float32),
        ],
        compiler_params=pltpu.CompilerParams(
            dimension_semantics=("arbitrary", "arbitrary"), vmem_limit_bytes=VMEM_MIB * 2**20
        ),
        name="fused_matmul",
    )(of.x, of.weight, *(row.reshape(1, n) for row in (*plan.before, *plan.after)), *plan.tiles)
    return cast("jax.Array", result)


def _step(plan: _Plan, x_hbm: Any, weight_ref: Any, *refs: Any) -> None:
    """One step of the grid: the epilogue of the tile of `lag` steps ago, and the product of the next one.

    In the first `lag` steps the epilogue runs on what the memory holds; its output block is the first one, which is
    written once more, and not copied to HBM before that.
    """
    *operands, out, rows, copied, waiting, state = refs
    before, after = operands[: len(plan.before)], operands[len(plan.before) :]
    row, column = pl.program_id(0), pl.program_id(1)
    blocks = plan.of.shape[0] // plan.of.bm
    then = plan.then(row, column)[1]
    slot = column if plan.lag > 1 else 0

    def epilogue(tile: Tile, part: slice) -> None:
        vectors, tiles = after[: len(plan.after)], after[len(plan.after) :]
        operands = (*(ref[...] for ref in vectors), *(ref[part] for ref in tiles))
        plan.consume(tile, out.at[part], state.at[:, part], operands)

    @pl.when(row < blocks)
    def _() -> None:
        _copy_rows(plan, x_hbm, rows, copied, row, column)
        plan.begin(column, then, state)
        for part in plan.parts:
            if plan.lag:
                epilogue(waiting[slot, part], part)
            dimensions = (((1,), (1 if plan.of.transposed else 0,)), ((), ()))
            tile = lax.dot_general(
                rows[lax.rem(row, 2), part], weight_ref[...], dimensions, preferred_element_type=jnp.float32
            )
            tile = plan.produce(tile, state.at[:, part], tuple(ref[...] for ref in before))
            if plan.lag:
                waiting[slot, part] = tile
            else:
                epilogue(tile, part)
        plan.end(then, out, state)

    if plan.lag:

        @pl.when((row == blocks) & (column < plan.lag))
        def _() -> None:
            plan.begin(column, then, state)
            for part in plan.parts:
                epilogue(waiting[slot, part], part)
            plan.end(then, out, state)


def _copy_rows(plan: _Plan, x_hbm: Any, rows: Any, copied: Any, row: jax.Array, column: jax.Array) -> None:
    """Asks for a slice of the next block of rows, and sees to it that this one is there."""
    bm = plan.of.bm
    height = bm // plan.slices

    def copy(block: jax.Array | int, index: jax.Array | int) -> Any:
        slot = lax.rem(block, 2)
        source = x_hbm.at[pl.ds(block * bm + index * height, height)]
        return pltpu.make_async_copy(source, rows.at[slot, pl.ds(index * height, height)], copied.at[slot])

    @pl.when((row == 0) & (column == 0))
    def _() -> None:
        for index in range(plan.slices):
            copy(0, index).start()

    @pl.when(column == 0)
    def _() -> None:
        for index in range(plan.slices):
            copy(row, index).wait()

    @pl.when((row + 1 < plan.of.shape[0] // bm) & (column < plan.slices))
    def _() -> None:
        copy(row + 1, column).start()
