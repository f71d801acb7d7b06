"""What a kernel has not written, or may not count on, shows as poison in the Program that the check runs."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.extend.core import jaxpr_as_fun

from jaxbench_harness.tracing.rewrites import interpret_kernels

X = jnp.arange(1, 16 * 128 + 1, dtype=jnp.float32).reshape(16, 128)
ROWS = pl.BlockSpec((8, 128), lambda i: (i, 0))
ROWS_OF_FIRST = pl.BlockSpec((8, 128), lambda i, j: (i, 0))
ROWS_OF_SECOND = pl.BlockSpec((8, 128), lambda i, j: (j, 0))


def interpreted(function, *arguments):
    traced = jax.make_jaxpr(function)(*arguments)
    return np.asarray(jax.jit(jaxpr_as_fun(interpret_kernels(traced)))(*arguments)[0])


def kernel_call(kernel, *arrays, shape=(16, 128), dtype=jnp.float32, **options):
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(shape, dtype), **options)(*arrays)


def copy(x_ref, o_ref):
    o_ref[...] = x_ref[...].astype(o_ref.dtype)


def accumulate(first):
    """A kernel that adds its input to its output, which it clears where `first()` says so."""

    def kernel(*refs):
        x_ref, o_ref = refs[-2:]

        @pl.when(first())
        def _():
            o_ref[...] = jnp.zeros_like(o_ref)

        o_ref[...] += x_ref[...]

    return kernel


@pytest.mark.parametrize(("dtype", "poison"), [("float32", np.nan), ("bfloat16", np.nan), ("int32", -(2**31))])
def test_a_block_that_no_step_visits_is_poison(dtype, poison):
    output = interpreted(lambda x: kernel_call(copy, x, grid=1, in_specs=[ROWS], out_specs=ROWS, dtype=dtype), X)
    np.testing.assert_array_equal(output[:8].astype(np.float32), np.asarray(X[:8].astype(dtype), np.float32))
    np.testing.assert_array_equal(output[8:].astype(np.float64), poison)


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_part_of_a_visited_block_that_is_not_written_is_poison(dtype):
    def kernel(x_ref, o_ref):
        o_ref[:4] = x_ref[:4].astype(dtype)

    output = interpreted(lambda x: kernel_call(kernel, x, grid=2, in_specs=[ROWS], out_specs=ROWS, dtype=dtype), X)
    poison = np.nan if dtype == "float32" else -(2**31)
    np.testing.assert_array_equal(output.reshape(2, 8, 128)[:, 4:], poison)
    np.testing.assert_array_equal(output.reshape(2, 8, 128)[:, :4], X.reshape(2, 8, 128)[:, :4])


@pytest.mark.parametrize("cleared", [True, False])
def test_scratch_is_poison_until_it_is_written(cleared):
    def kernel(x_ref, o_ref, sum_ref):
        if cleared:

            @pl.when(pl.program_id(0) == 0)
            def _():
                sum_ref[...] = jnp.zeros_like(sum_ref)

        sum_ref[...] += x_ref[...]
        o_ref[...] = sum_ref[...]

    whole = pl.BlockSpec((8, 128), lambda i: (0, 0))
    output = interpreted(
        lambda x: kernel_call(
            kernel,
            x,
            shape=(8, 128),
            grid=2,
            in_specs=[ROWS],
            out_specs=whole,
            scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32)],
        ),
        X,
    )
    np.testing.assert_array_equal(output, X[:8] + X[8:] if cleared else np.nan)


@pytest.mark.parametrize("masked", [True, False])
def test_a_block_beyond_the_edge_of_an_input_is_poison_there(masked):
    """Sums of rows 0 to 7 and 8 to 12 by blocks of 8: the last three rows of the second block don't exist."""

    def kernel(x_ref, o_ref):
        rows = pl.program_id(0) * 8 + jax.lax.broadcasted_iota(jnp.int32, (8, 128), 0)
        x = jnp.where(rows < 13, x_ref[...], 0) if masked else x_ref[...]
        o_ref[...] = jnp.broadcast_to(x.sum(axis=0), (8, 128))

    output = interpreted(lambda x: kernel_call(kernel, x, grid=2, in_specs=[ROWS], out_specs=ROWS), X[:13])
    np.testing.assert_array_equal(output[0], X[:8].sum(axis=0))
    np.testing.assert_array_equal(output[8], X[8:13].sum(axis=0) if masked else np.nan)


def test_an_output_block_that_is_left_and_visited_again_is_poison():
    """With the sum over i inside, each block is finished in one visit; outside, what it held is lost on a TPU."""
    inside = interpreted(
        lambda x: kernel_call(
            accumulate(lambda: pl.program_id(1) == 0),
            x,
            grid=(2, 2),
            in_specs=[ROWS_OF_FIRST],
            out_specs=ROWS_OF_FIRST,
        ),
        X,
    )
    np.testing.assert_array_equal(inside, 2 * X)
    outside = interpreted(
        lambda x: kernel_call(
            accumulate(lambda: pl.program_id(0) == 0),
            x,
            grid=(2, 2),
            in_specs=[ROWS_OF_SECOND],
            out_specs=ROWS_OF_SECOND,
        ),
        X,
    )
    np.testing.assert_array_equal(outside, np.nan)


def test_a_block_that_is_written_anew_in_a_later_visit_is_right():
    output = interpreted(
        lambda x: kernel_call(copy, x, grid=(2, 2), in_specs=[ROWS_OF_SECOND], out_specs=ROWS_OF_SECOND), X
    )
    np.testing.assert_array_equal(output, X)


@pytest.mark.parametrize(("blocks", "sums"), [((0, 0, 1, 1), (2, np.nan)), ((0, 1, 0, 1), (np.nan, np.nan))])
def test_visits_that_prefetched_scalars_decide_are_followed(blocks, sums):
    """The kernel clears its output in the first step only: block 1 is never cleared, block 0 only if not left."""

    def place(i, block_ref):
        return block_ref[i], 0

    spec = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1,
        grid=4,
        in_specs=[pl.BlockSpec((8, 128), place)],
        out_specs=pl.BlockSpec((8, 128), place),
    )
    kernel = accumulate(lambda: pl.program_id(0) == 0)
    output = interpreted(lambda b, x: kernel_call(kernel, b, x, grid_spec=spec), jnp.asarray(blocks, jnp.int32), X)
    np.testing.assert_array_equal(output.reshape(2, 8, 128), np.reshape(sums, (2, 1, 1)) * X.reshape(2, 8, 128))


@pytest.mark.parametrize("grid", [1, 2])
def test_an_aliased_output_does_not_begin_as_its_input(grid):
    """Blocks that are visited begin with junk, those that are not keep the input."""

    def add_to_output(x_ref, o_ref):
        o_ref[...] += 1

    def add_to_input(x_ref, o_ref):
        o_ref[...] = x_ref[...] + 1

    options = {"grid": grid, "in_specs": [ROWS], "out_specs": ROWS, "input_output_aliases": {0: 0}}
    visited = 8 * grid
    wrong = interpreted(lambda x: kernel_call(add_to_output, x, **options), X)
    right = interpreted(lambda x: kernel_call(add_to_input, x, **options), X)
    np.testing.assert_array_equal(wrong[:visited], np.nan)
    np.testing.assert_array_equal(right[:visited], X[:visited] + 1)
    for output in (wrong, right):
        np.testing.assert_array_equal(output[visited:], X[visited:])


def test_an_aliased_output_in_hbm_keeps_what_is_not_copied_over():
    def kernel(x_ref, o_ref, semaphore):
        pltpu.sync_copy(x_ref.at[pl.ds(0, 8)], o_ref.at[pl.ds(8, 8)])

    anywhere = pl.BlockSpec(memory_space=pl.ANY)
    output = interpreted(
        lambda x: kernel_call(
            kernel,
            x,
            in_specs=[anywhere],
            out_specs=anywhere,
            input_output_aliases={0: 0},
            scratch_shapes=[pltpu.SemaphoreType.DMA],
        ),
        X,
    )
    np.testing.assert_array_equal(output, np.concatenate([X[:8], X[:8]]))


@pytest.mark.parametrize("right", [True, False])
def test_kernels_under_vmap_are_poisoned_alike(right):
    rows, axis = (ROWS_OF_FIRST, 1) if right else (ROWS_OF_SECOND, 0)
    kernel = accumulate(lambda: pl.program_id(axis) == 0)
    twice = jax.vmap(lambda x: kernel_call(kernel, x, grid=(2, 2), in_specs=[rows], out_specs=rows))
    both = jnp.stack([X, X + 1])
    np.testing.assert_array_equal(interpreted(twice, both), 2 * both if right else np.nan)


def test_grids_whose_extent_is_an_argument_are_poisoned_alike():
    kernel = accumulate(lambda: pl.program_id(1) == 0)

    def twice(steps, x, rows):
        return kernel_call(kernel, x, grid=(2, steps), in_specs=[rows], out_specs=rows)

    np.testing.assert_array_equal(interpreted(lambda n, x: twice(n, x, ROWS_OF_FIRST), jnp.int32(2), X), 2 * X)
    output = interpreted(lambda n, x: twice(n, x, ROWS_OF_SECOND), jnp.int32(2), X)
    np.testing.assert_array_equal(output[8:], np.nan)
