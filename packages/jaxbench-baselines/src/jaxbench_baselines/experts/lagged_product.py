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

_FIRST_PARTS = 4
"""Parts in which the first block of rows is multiplied: few, as each has the weights pushed to the matrix unit anew."""


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
            pltpu.SemaphoreType.DMA((2, plan.slices)),
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

    In the first `lag` steps the epilogue runs on what the memory holds, or not at all; its output block is the first
    one, which is written once more, and not copied to HBM before that.
    """
    *operands, out, rows, copied, waiting, state = refs
    row, column = pl.program_id(0), pl.program_id(1)
    blocks = plan.of.shape[0] // plan.of.bm
    then = plan.then(row, column)[1]
    slot = column if plan.lag > 1 else 0
    copies = _Copies(plan, x_hbm, rows, copied)
    work = _Work(plan, rows.at[lax.rem(row, 2)], weight_ref, operands, out, waiting.at[slot], state)

    @pl.when(row < blocks)
    def _() -> None:
        copies.ask(row, column)
        plan.begin(column, then, state)
        is_first = (row == 0) & (column == 0)
        pl.when(is_first)(functools.partial(copies.multiply_as_they_come, work.multiply))

        @pl.when(~is_first)
        def _() -> None:
            copies.wait(row, column)
            for part in plan.parts:
                work.consume_waiting(part)
                work.multiply(part)

        plan.end(then, out, state)

    @pl.when((row == blocks) & (column < plan.lag))
    def _() -> None:
        plan.begin(column, then, state)
        for part in plan.parts:
            work.consume_waiting(part)
        plan.end(then, out, state)


@dataclass(frozen=True)
class _Work:
    """What a step does with rows of tiles.

    Attributes:
        plan: The plan.
        rows: The block of rows.
        weight: The block of weights.
        operands: Blocks of the vectors before, the vectors after, and the matrices.
        out: The block of the output.
        waiting: Where the tile waits.
        state: What outlasts a step.
    """

    plan: Plan
    rows: Any
    weight: Any
    operands: Sequence[Any]
    out: Any
    waiting: Any
    state: Any

    def multiply(self, part: Any) -> None:
        """Multiplies rows, and leaves the product to wait; without lag, consumes it."""
        plan = self.plan
        dimensions = (((1,), (1 if plan.of.transposed else 0,)), ((), ()))
        tile = lax.dot_general(self.rows[part], self.weight[...], dimensions, preferred_element_type=jnp.float32)
        before = tuple(ref[...] for ref in self.operands[: len(plan.before)])
        tile = plan.produce(tile, self.state.at[:, part], before)
        if plan.lag:
            self.waiting[part] = tile
        else:
            self._consume(tile, part)

    def consume_waiting(self, part: Any) -> None:
        """Consumes rows of the tile that has waited, if there is a lag."""
        if self.plan.lag:
            self._consume(self.waiting[part], part)

    def _consume(self, tile: Tile, part: Any) -> None:
        first = len(self.plan.before)
        matrices = first + len(self.plan.after)
        vectors = (ref[...] for ref in self.operands[first:matrices])
        operands = (*vectors, *(ref[part] for ref in self.operands[matrices:]))
        target = self.out.at[:, part] if self.plan.flipped else self.out.at[part]
        self.plan.consume(tile, target, self.state.at[:, part], operands)


@dataclass(frozen=True)
class _Copies:
    """Copies of blocks of rows from HBM into one of two places in VMEM, in slices.

    Each slice has a semaphore of its own: copies may end in another order than they were asked for.
    """

    plan: Plan
    source: Any
    rows: Any
    copied: Any

    def ask(self, row: jax.Array, column: jax.Array) -> None:
        """Asks for a slice of the next block of rows; in the first step, for the first block too."""
        slices = self.plan.slices

        @pl.when((row == 0) & (column == 0))
        def _() -> None:
            for index in range(slices):
                self._copy(0, index).start()

        @pl.when((row + 1 < self.plan.of.shape[0] // self.plan.of.bm) & (column < slices))
        def _() -> None:
            self._copy(row + 1, column).start()

    def wait(self, row: jax.Array, column: jax.Array) -> None:
        """Waits for a block of rows, at its first column."""

        @pl.when(column == 0)
        def _() -> None:
            for index in range(self.plan.slices):
                self._copy(row, index).wait()

    def multiply_as_they_come(self, multiply: Callable[[Any], None]) -> None:
        """Multiplies parts of the very first block as soon as they are there, as nothing was copied ahead of them."""
        slices = self.plan.slices
        together = slices // _FIRST_PARTS if slices % _FIRST_PARTS == 0 else slices
        height = self.plan.of.bm // slices * together

        def part(index: jax.Array, _: None) -> None:
            for within in range(together):
                self._copy(0, index * together + within).wait()
            multiply(pl.ds(pl.multiple_of(index * height, height), height))

        lax.fori_loop(0, slices // together, part, None)

    def _copy(self, block: jax.Array | int, index: jax.Array | int) -> Any:
        bm, height = self.plan.of.bm, self.plan.of.bm // self.plan.slices
        slot = lax.rem(block, 2)
        source = self.source.at[pl.ds(block * bm + index * height, height)]
        return pltpu.make_async_copy(
            source, self.rows.at[slot, pl.ds(index * height, height)], self.copied.at[slot, index]
        )
