"""Programs whose time integers decide, and programs that try to hide how long they take. Imported where JAX may be."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from predicted_kernels import Kernel, Spec, prefetched_trips

ROWS, COLUMNS = 128, 256
X = Spec((ROWS, COLUMNS), jnp.float32)
OUT = jax.ShapeDtypeStruct((ROWS, COLUMNS), jnp.float32)
TRIPS = Spec((16,), jnp.int32)
WINDOW = pl.BlockSpec((8, COLUMNS), lambda i, *_: (i, 0))


def work(o_ref, trips):
    @pl.loop(0, trips)
    def _(i):
        o_ref[pl.ds(i % 8, 1), :] = jnp.tanh(o_ref[pl.ds(i % 8, 1), :])


def computed_trips(counts, x):
    """Trips that earlier instructions compute of an input: running sums of the counts, in another order."""
    order = jnp.argsort(counts, stable=True)
    return prefetched_trips(jnp.cumsum(counts)[order] // 2, x)


def constant_trips(x):
    """Trips that the program holds."""
    return prefetched_trips(jnp.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3], jnp.int32), x)


def float_trips(x):
    """Trips that follow from floating-point data."""
    return prefetched_trips(jnp.sum(jnp.abs(x).reshape(16, -1), axis=1).astype(jnp.int32), x)


def trips_of_a_kernel(counts, x):
    """Trips that another kernel yields."""

    def body(counts_ref, trips_ref):
        trips_ref[...] = counts_ref[...] * 1000

    square = counts.reshape(1, 16) + jnp.zeros((8, 1), jnp.int32)
    trips = pl.pallas_call(body, out_shape=jax.ShapeDtypeStruct((8, 16), jnp.int32))(square)
    return prefetched_trips(trips[0], x)


def trips_of_scalars(counts, x):
    """Trips that another kernel computes in scalar memory."""

    def body(counts_ref, trips_ref):
        @pl.loop(0, 16)
        def _(i):
            trips_ref[i] = counts_ref[i] * 2 + 1

    smem = pl.BlockSpec(memory_space=pltpu.SMEM)
    trips = pl.pallas_call(body, out_shape=jax.ShapeDtypeStruct((16,), jnp.int32), in_specs=[smem], out_specs=smem)
    return prefetched_trips(trips(counts), x)


def trips_changed_late(counts, x):
    """Trips that a kernel changes after it has begun to copy them to its output."""

    def body(counts_ref, trips_ref, small, semaphore):
        @pl.loop(0, 128)
        def _(i):
            small[i] = 0

        copy = pltpu.make_async_copy(small, trips_ref, semaphore)
        copy.start()

        @pl.loop(0, 128)
        def _(i):
            small[i] = 100000 + counts_ref[0]

        copy.wait()

    smem, anywhere = pl.BlockSpec(memory_space=pltpu.SMEM), pl.BlockSpec(memory_space=pl.ANY)
    trips = pl.pallas_call(
        body,
        out_shape=jax.ShapeDtypeStruct((128,), jnp.int32),
        in_specs=[smem],
        out_specs=anywhere,
        scratch_shapes=[pltpu.SMEM((128,), jnp.int32), pltpu.SemaphoreType.DMA],
    )(counts)
    return prefetched_trips(trips[:16], x)


def gathered_pages(pages, table):
    """Pages in the order of a table; the compiler's own code reads the table while it writes the pages."""
    return pages[table % 16384] * 2


def trips_of_vector_data(x):
    """A kernel that computes its trips of its window."""

    def body(x_ref, o_ref):
        o_ref[...] = x_ref[...]
        work(o_ref, jnp.max(x_ref[...]).astype(jnp.int32))

    return pl.pallas_call(body, out_shape=OUT, grid=(16,), in_specs=[WINDOW], out_specs=WINDOW)(x)


def trips_of_float_scalar(scale, x):
    """A kernel whose trips are a floating-point scalar."""

    def body(scale_ref, x_ref, o_ref):
        o_ref[...] = x_ref[...]
        work(o_ref, scale_ref[0].astype(jnp.int32))

    smem = pl.BlockSpec(memory_space=pltpu.SMEM)
    return pl.pallas_call(body, out_shape=OUT, grid=(16,), in_specs=[smem, WINDOW], out_specs=WINDOW)(scale, x)


def dynamic_grid(steps, x):
    """A grid whose size is an input."""

    def body(x_ref, o_ref):
        o_ref[...] = x_ref[...]
        work(o_ref, 5)

    window = pl.BlockSpec((8, COLUMNS), lambda i: (jax.lax.rem(i, 16), 0))
    return pl.pallas_call(body, out_shape=OUT, grid=(steps[0],), in_specs=[window], out_specs=window)(x)


def branches(choice, x):
    """A kernel that an input lets take one of twelve branches; the first is cheap and long, the others loop."""

    def body(choice_ref, x_ref, o_ref):
        def cheap():
            value = x_ref[...]
            for index in range(40):
                value = value * 1.5 + index
            o_ref[...] = value

        def loop(trips):
            def branch():
                o_ref[...] = x_ref[...]
                work(o_ref, trips)

            return branch

        jax.lax.switch(choice_ref[pl.program_id(0)], [cheap, *(loop(1000 * index) for index in range(1, 12))])

    grid = pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=(16,), in_specs=[WINDOW], out_specs=WINDOW)
    return pl.pallas_call(body, out_shape=OUT, grid_spec=grid)(choice, x)


def exit_on_data(x):
    """A kernel that works only where its data say so."""

    def body(x_ref, o_ref):
        o_ref[...] = x_ref[...]

        @pl.when(jnp.sum(x_ref[...]) > 0)
        def _():
            work(o_ref, 10000)

    return pl.pallas_call(body, out_shape=OUT, grid=(16,), in_specs=[WINDOW], out_specs=WINDOW)(x)


def indirect_trips(table, trips, x):
    """Trips looked up at the place that a table says, which may be past the end."""

    def body(table_ref, trips_ref, x_ref, o_ref):
        o_ref[...] = x_ref[...]
        work(o_ref, trips_ref[table_ref[pl.program_id(0)]])

    grid = pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=2, grid=(16,), in_specs=[WINDOW], out_specs=WINDOW)
    return pl.pallas_call(body, out_shape=OUT, grid_spec=grid)(table, trips, x)


def overwritten_trips(trips, x):
    """A kernel that copies large trips over its input, which is its output too, before it reads them."""

    def body(_, x_ref, trips_ref, o_ref, large, small, semaphore):
        large[...] = jnp.full_like(large, 100000)
        pltpu.make_async_copy(large, trips_ref, semaphore).start()
        pltpu.make_async_copy(large, trips_ref, semaphore).wait()
        pltpu.make_async_copy(trips_ref, small, semaphore).start()
        pltpu.make_async_copy(trips_ref, small, semaphore).wait()
        o_ref[...] = x_ref[...]
        work(o_ref, small[0, 0])

    anywhere, vmem = pl.BlockSpec(memory_space=pl.ANY), pl.BlockSpec(memory_space=pltpu.VMEM)
    return pl.pallas_call(
        body,
        out_shape=(jax.ShapeDtypeStruct((8, 128), jnp.int32), OUT),
        in_specs=[anywhere, vmem],
        out_specs=(anywhere, vmem),
        input_output_aliases={0: 0},
        scratch_shapes=[pltpu.VMEM((8, 128), jnp.int32), pltpu.SMEM((8, 128), jnp.int32), pltpu.SemaphoreType.DMA],
    )(trips, x)[1]


def written_input(trips, x):
    """A kernel that writes to its own input in VMEM before it reads trips there."""

    def body(trips_ref, x_ref, o_ref, small, semaphore):
        trips_ref[...] = jnp.full_like(trips_ref, 100000)
        pltpu.make_async_copy(trips_ref, small, semaphore).start()
        pltpu.make_async_copy(trips_ref, small, semaphore).wait()
        o_ref[...] = x_ref[...]
        work(o_ref, small[0, 0])

    vmem = pl.BlockSpec(memory_space=pltpu.VMEM)
    return pl.pallas_call(
        body,
        out_shape=OUT,
        in_specs=[vmem, vmem],
        out_specs=vmem,
        scratch_shapes=[pltpu.SMEM((8, 128), jnp.int32), pltpu.SemaphoreType.DMA],
    )(trips + 1, x)


def until_counted(counts, x):
    """A while loop of the top-level program that a vector of integers decides."""

    def smaller(state):
        steps, counts, _ = state
        return jnp.max(counts) > steps * 3

    def step(state):
        steps, counts, x = state
        return steps + 1, jnp.roll(counts, 1) - 1, jnp.tanh(x)

    return jax.lax.while_loop(smaller, step, (jnp.int32(0), counts, x))[2]


def integers(counts, matrix, words, flags):
    """Much of what is done with integers, for comparison with what JAX computes on a CPU."""
    order = jnp.argsort(counts, stable=True)
    sums = jnp.cumsum(counts)
    return {
        "sums": sums,
        "backwards": jnp.cumsum(counts[::-1])[::-1],
        "sorted": jnp.sort(words.view(jnp.int32)),
        "order": order,
        "taken": sums[order],
        "searched": jnp.searchsorted(sums, jnp.arange(0, 200, 7), side="right"),
        "bins": jnp.bincount(counts % 8, length=8),
        "repeated": jnp.repeat(jnp.arange(counts.size), counts % 4, total_repeat_length=40),
        "divided": (matrix // 7, matrix % 5, jax.lax.div(matrix, -3), jax.lax.rem(matrix, 6)),
        "shifted": (words << 3, words >> 5, matrix >> 2, words ^ (words >> 1), ~words),
        "parts": (jnp.roll(matrix, 2, axis=0), matrix[1:-1:2, ::3], jnp.flip(matrix, 1), jnp.pad(matrix, 2)),
        "reduced": (matrix.max(0), matrix.min(1), matrix.sum(), jnp.argmax(matrix, 1), jnp.any(flags, 0)),
        "chosen": jnp.where(flags, matrix[: flags.shape[0], : flags.shape[1]], -1),
        "rows": matrix[counts[:5] % matrix.shape[0]],
        "set": matrix.at[counts[0] % 4, 3].set(77).at[:, 1].add(5),
        "window": jax.lax.dynamic_slice(matrix, (counts[1], counts[2]), (3, 4)),
        "packed": jnp.tril(jnp.ones((6, 6), jnp.int8)) * counts[:6, None].astype(jnp.int8),
        "converted": ((counts.astype(jnp.float32) * 0.5).astype(jnp.int32), (counts > 3).astype(jnp.int32)),
        "halved": jax.lax.while_loop(lambda s: s[1] > 0, lambda s: (s[0] + 1, s[1] // 2), (0, counts.sum()))[0],
    }


INTEGER_KERNELS = {
    "computed_trips": Kernel(computed_trips, (TRIPS, X)),
    "constant_trips": Kernel(constant_trips, (X,)),
    "float_trips": Kernel(float_trips, (X,)),
    "trips_of_a_kernel": Kernel(trips_of_a_kernel, (TRIPS, X)),
    "trips_of_scalars": Kernel(trips_of_scalars, (TRIPS, X)),
    "trips_changed_late": Kernel(trips_changed_late, (TRIPS, X)),
    "gathered_pages": Kernel(gathered_pages, (Spec((16384, 16, 8, 128), jnp.bfloat16), Spec((8, 128), jnp.int32))),
    "trips_of_vector_data": Kernel(trips_of_vector_data, (X,)),
    "trips_of_float_scalar": Kernel(trips_of_float_scalar, (Spec((1,), jnp.float32), X)),
    "dynamic_grid": Kernel(dynamic_grid, (Spec((1,), jnp.int32), X)),
    "branches": Kernel(branches, (TRIPS, X)),
    "exit_on_data": Kernel(exit_on_data, (X,)),
    "indirect_trips": Kernel(indirect_trips, (TRIPS, TRIPS, X)),
    "overwritten_trips": Kernel(overwritten_trips, (Spec((8, 128), jnp.int32), X)),
    "written_input": Kernel(written_input, (Spec((8, 128), jnp.int32), X)),
    "until_counted": Kernel(until_counted, (Spec((64,), jnp.int32), X)),
    "integers": Kernel(
        integers,
        (
            Spec((20,), jnp.int32),
            Spec((9, 11), jnp.int32),
            Spec((50,), jnp.uint32),
            Spec((4, 6), jnp.bool_),
        ),
    ),
}
