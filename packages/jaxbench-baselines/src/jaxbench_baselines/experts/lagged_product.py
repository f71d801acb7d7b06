"""The kernel behind `fused_matmul`: which tile is multiplied and which is consumed in each step, and their blocks."""

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

from jaxbench_baselines.experts.tiling import LANES, block_size

Tile = Float[Array, "bm bn"]
Weight = Float[Array, "K N"] | Float[Array, "N K"] | Float[Array, "G K N"]
Vector = Float[Array, " N"]
Rows = Float[Array, "M N"]

Operands = tuple[jax.Array, ...]
Place = tuple[jax.Array, jax.Array]

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


def _nothing(*_: Any) -> None:
    """Does nothing."""


def _as_it_is(tile: Tile, state: Any, operands: Operands) -> Tile:
    del state, operands
    return tile


@dataclass(frozen=True)
class Plan:
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
        flipped: Whether the output is (N, M).
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
    flipped: bool = False
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


@dataclass(frozen=True)
class _Blocks:
    """Which blocks of inputs and output a step takes."""

    plan: Plan

    def weight(self) -> pl.BlockSpec:
        """Weights of the columns that are multiplied, and of the group that the rows are in."""
        plan, of = self.plan, self.plan.of
        _, k, _ = of.shape

        def grouped(row: jax.Array, column: jax.Array) -> tuple[Any, ...]:
            row, column = plan.now(row, column)
            return lax.div(row, of.shape[0] // of.bm // of.weight.shape[0]), 0, column

        def shared(row: jax.Array, column: jax.Array) -> tuple[Any, ...]:
            column = plan.now(row, column)[1]
            return (column, 0) if of.transposed else (0, column)

        if of.weight.ndim == 3:
            return pl.BlockSpec((None, k, of.bn), grouped)
        return pl.BlockSpec((of.bn, k) if of.transposed else (k, of.bn), shared)

    def before(self) -> pl.BlockSpec:
        """Part of a vector for the tile that is multiplied."""

        def columns(row: jax.Array, column: jax.Array) -> tuple[Any, ...]:
            return 0, self.plan.now(row, column)[1]

        return pl.BlockSpec((1, self.plan.of.bn), columns)

    def after(self) -> pl.BlockSpec:
        """Part of a vector for the tile that is consumed."""

        def columns(row: jax.Array, column: jax.Array) -> tuple[Any, ...]:
            return 0, self.plan.then(row, column)[1]

        return pl.BlockSpec((1, self.plan.of.bn), columns)

    def matrix(self, width: int) -> pl.BlockSpec:
        """Part of a matrix, or of a column, for the tile that is consumed."""
        of = self.plan.of

        def rows(row: jax.Array, column: jax.Array) -> tuple[Any, ...]:
            return self.plan.then(row, column)[0], 0

        return pl.BlockSpec((of.bm, 1), rows) if width == 1 else pl.BlockSpec((of.bm, of.bn), self.plan.then)

    def output(self) -> tuple[tuple[int, int], pl.BlockSpec]:
        """Shape of the output, and the part that a tile becomes."""
        of = self.plan.of
        m, _, n = of.shape

        def flipped(row: jax.Array, column: jax.Array) -> tuple[Any, ...]:
            row, column = self.plan.then(row, column)
            return column, row

        if self.plan.flipped:
            return (n, m), pl.BlockSpec((of.bn, of.bm), flipped)
        width = 1 if self.plan.is_reduction else n
        return (m, width), self.matrix(width)


def run(plan: Plan) -> jax.Array:
    """Returns what becomes of the product.

    One row of steps more than there are tiles lets the last tiles be consumed.
    """
    of, blocks = plan.of, _Blocks(plan)
    (m, k, n), bm, bn = of.shape, of.bm, of.bn
    out_shape, out_spec = blocks.output()
    result = pl.pallas_call(
        functools.partial(_step, plan),
        grid=(m // bm + min(plan.lag, 1), of.columns),
        in_specs=[
            pl.BlockSpec(memory_space=pl.ANY),
            blocks.weight(),
            *(blocks.before() for _ in plan.before),
            *(blocks.after() for _ in plan.after),
            *(blocks.matrix(operand.shape[1]) for operand in plan.tiles),
        ],
        out_specs=out_spec,
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


def _step(plan: Plan, x_hbm: Any, weight_ref: Any, *refs: Any) -> None:
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
        target = out.at[:, part] if plan.flipped else out.at[part]
        plan.consume(tile, target, state.at[:, part], operands)

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


def _copy_rows(plan: Plan, x_hbm: Any, rows: Any, copied: Any, row: jax.Array, column: jax.Array) -> None:
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
