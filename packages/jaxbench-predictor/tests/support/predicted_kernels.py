"""Small programs whose time can be reckoned by hand. Imported where JAX may be."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

Spec = jax.ShapeDtypeStruct


@dataclass(frozen=True)
class Kernel:
    function: Callable[..., Any]
    specs: tuple[Spec, ...]


def copy_rows(x, rows):
    """One input and one output window of `rows` rows per step."""

    def body(x_ref, o_ref):
        o_ref[...] = x_ref[...]

    window = pl.BlockSpec((rows, x.shape[1]), lambda i: (i, 0))
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(body, out_shape=shape, grid=(x.shape[0] // rows,), in_specs=[window], out_specs=window)(x)


def matmul(a, b, block):
    def body(a_ref, b_ref, o_ref, acc_ref):
        @pl.when(pl.program_id(2) == 0)
        def _():
            acc_ref[...] = jnp.zeros_like(acc_ref)

        acc_ref[...] += jnp.dot(a_ref[...], b_ref[...], preferred_element_type=jnp.float32)

        @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
        def _():
            o_ref[...] = acc_ref[...].astype(o_ref.dtype)

    grid = (a.shape[0] // block, b.shape[1] // block, a.shape[1] // block)
    return pl.pallas_call(
        body,
        out_shape=jax.ShapeDtypeStruct((a.shape[0], b.shape[1]), a.dtype),
        grid=grid,
        in_specs=[
            pl.BlockSpec((block, block), lambda i, j, k: (i, k)),
            pl.BlockSpec((block, block), lambda i, j, k: (k, j)),
        ],
        out_specs=pl.BlockSpec((block, block), lambda i, j, _: (i, j)),
        scratch_shapes=[pltpu.VMEM((block, block), jnp.float32)],
    )(a, b)


def loops(x, trips):
    """An inner loop of `trips` iterations in each step."""

    def body(x_ref, o_ref):
        o_ref[...] = x_ref[...]

        @pl.loop(0, trips)
        def _(i):
            o_ref[pl.ds(i, 1), :] = jnp.tanh(o_ref[pl.ds(i, 1), :])

    window = pl.BlockSpec((32, x.shape[1]), lambda i: (i, 0))
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(body, out_shape=shape, grid=(x.shape[0] // 32,), in_specs=[window], out_specs=window)(x)


def prefetched_trips(trips, x):
    """An inner loop whose length in step i is `trips[i]`."""

    def body(trips_ref, x_ref, o_ref):
        o_ref[...] = x_ref[...]

        @pl.loop(0, trips_ref[pl.program_id(0)])
        def _(i):
            o_ref[pl.ds(i % 8, 1), :] = jnp.tanh(o_ref[pl.ds(i % 8, 1), :])

    window = pl.BlockSpec((8, x.shape[1]), lambda i, _: (i, 0))
    grid = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1, grid=(trips.shape[0],), in_specs=[window], out_specs=window
    )
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return pl.pallas_call(body, out_shape=shape, grid_spec=grid)(trips, x)


def streamed_sum(x, rows):
    """Copies blocks of `rows` rows itself, the next one while it adds the present one up."""
    steps = x.shape[0] // rows

    def body(x_ref, o_ref, buffers, semaphores):
        def copy(step):
            slot = step % 2
            source = x_ref.at[pl.ds(step * rows, rows), :]
            return pltpu.make_async_copy(source, buffers.at[slot], semaphores.at[slot])

        copy(0).start()
        o_ref[...] = jnp.zeros_like(o_ref)

        @pl.loop(0, steps)
        def _(step):
            @pl.when(step + 1 < steps)
            def _():
                copy(step + 1).start()

            copy(step).wait()
            o_ref[...] += jnp.sum(buffers[step % 2].reshape(rows // 8, 8, -1), axis=0)

    return pl.pallas_call(
        body,
        out_shape=jax.ShapeDtypeStruct((8, x.shape[1]), x.dtype),
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        scratch_shapes=[pltpu.VMEM((2, rows, x.shape[1]), x.dtype), pltpu.SemaphoreType.DMA((2,))],
    )(x)


def ten_steps(x):
    """A while loop of the top-level program with a known number of iterations."""
    return jax.lax.fori_loop(0, 10, lambda _, y: jnp.tanh(y) * 2, x)


def until_small(x):
    """A while loop that data decides."""
    return jax.lax.while_loop(lambda y: jnp.sum(y) > 1, lambda y: y * 0.5, x)


def linear(x, w, b):
    return jax.nn.relu(x @ w + b)


KERNELS = {
    "copy": Kernel(lambda x: copy_rows(x, 256), (Spec((8192, 2048), jnp.float32),)),
    "matmul": Kernel(lambda a, b: matmul(a, b, 256), (Spec((1024, 1024), jnp.bfloat16),) * 2),
    "matmul_twice": Kernel(
        lambda a, b: matmul(a, b, 256), (Spec((2048, 1024), jnp.bfloat16), Spec((1024, 1024), jnp.bfloat16))
    ),
    "loops": Kernel(lambda x: loops(x, 20), (Spec((256, 256), jnp.float32),)),
    "prefetched_trips": Kernel(prefetched_trips, (Spec((16,), jnp.int32), Spec((128, 256), jnp.float32))),
    "streamed_sum": Kernel(lambda x: streamed_sum(x, 64), (Spec((2048, 1024), jnp.float32),)),
    "ten_steps": Kernel(ten_steps, (Spec((256, 1024), jnp.float32),)),
    "until_small": Kernel(until_small, (Spec((256, 256), jnp.float32),)),
    "linear": Kernel(
        linear,
        (Spec((512, 512), jnp.bfloat16), Spec((512, 512), jnp.bfloat16), Spec((512,), jnp.bfloat16)),
    ),
}
