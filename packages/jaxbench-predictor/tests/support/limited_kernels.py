"""Kernels that one unit limits by construction: their windows stay in VMEM while the grid repeats the same work."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from predicted_kernels import Kernel, Spec

STEPS = 64


def resident(body, *arrays, out=(256, 256), steps=STEPS, **parameters):
    """Runs `body` in each step of a grid, on windows that never change, so that they are moved once."""
    specs = [pl.BlockSpec(array.shape, lambda _: (0, 0)) for array in arrays]
    return pl.pallas_call(
        body,
        out_shape=jax.ShapeDtypeStruct(out, jnp.float32),
        grid=(steps,),
        in_specs=specs,
        out_specs=pl.BlockSpec(out, lambda _: (0, 0)),
        **parameters,
    )(*arrays)


def products(a, b, steps=STEPS):
    """The same product in each step; all of VMEM may be used."""

    def body(a_ref, b_ref, o_ref):
        o_ref[...] = jnp.dot(a_ref[...], b_ref[...], preferred_element_type=jnp.float32)

    everything = pltpu.CompilerParams(vmem_limit_bytes=120 * 2**20)
    return resident(body, a, b, out=(a.shape[0], b.shape[1]), steps=steps, compiler_params=everything)


def exponentials(x):
    """Sixteen exponentials of each value, and nothing else."""

    def body(x_ref, o_ref):
        value = x_ref[...]
        for _ in range(16):
            value = jnp.exp2(value)
        o_ref[...] = value

    return resident(body, x)


def polynomials(x):
    """Sixteen products and sums of each value."""

    def body(x_ref, o_ref):
        x = x_ref[...]
        value = x
        for index in range(16):
            value = value * x + (index + 0.5)
        o_ref[...] = value

    return resident(body, x)


def rotations(x):
    """Eight rotations along the lanes."""

    def body(x_ref, o_ref):
        value = x_ref[...]
        for _ in range(8):
            value = pltpu.roll(value, 3, axis=1)
        o_ref[...] = value

    return resident(body, x)


def moves(x, steps=STEPS):
    """Loads and stores alone."""

    def body(x_ref, o_ref):
        o_ref[...] = x_ref[...]

    return resident(body, x, out=x.shape, steps=steps)


def scalars(x):
    """A long chain of scalar arithmetic in each step."""

    def body(x_ref, o_ref):
        def step(index, state):
            a, b, c = state
            return a * 3 + index, b * 5 + a, c ^ b

        first = pl.program_id(0)
        a, b, c = jax.lax.fori_loop(0, 200, step, (first, first + 1, first + 2), unroll=8)
        o_ref[...] = x_ref[...] + (a + b + c).astype(jnp.float32)

    return resident(body, x, out=(8, 128))


def many_live_values(x):
    """More values are live than there are vector registers, in every iteration of a loop."""

    def body(x_ref, o_ref):
        def step(_, values):
            return tuple(a * b + 1.0 for a, b in zip(values, values[7:] + values[:7], strict=True))

        values = tuple(x_ref[pl.ds(8 * index, 8), :] for index in range(120))
        values = jax.lax.fori_loop(0, 50, step, values)
        for index, value in enumerate(values):
            o_ref[pl.ds(8 * index, 8), :] = value

    return resident(body, x, out=(960, 128), steps=4)


def one_copy_at_a_time(x):
    """Waits for each copy before it starts the next."""

    def body(x_ref, o_ref, buffer, semaphore):
        @pl.loop(0, x.shape[0] // 8)
        def _(step):
            copy = pltpu.make_async_copy(x_ref.at[pl.ds(step * 8, 8), :], buffer, semaphore)
            copy.start()
            copy.wait()

        o_ref[...] = buffer[...]

    return pl.pallas_call(
        body,
        out_shape=jax.ShapeDtypeStruct((8, x.shape[1]), x.dtype),
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        scratch_shapes=[pltpu.VMEM((8, x.shape[1]), x.dtype), pltpu.SemaphoreType.DMA],
    )(x)


SQUARE = Spec((256, 256), jnp.float32)

LIMITED_KERNELS = {
    "products": Kernel(products, (Spec((1024, 512), jnp.bfloat16), Spec((512, 512), jnp.bfloat16))),
    "products_of_more_rows": Kernel(products, (Spec((2048, 512), jnp.bfloat16), Spec((512, 512), jnp.bfloat16))),
    "exponentials": Kernel(exponentials, (SQUARE,)),
    "polynomials": Kernel(polynomials, (SQUARE,)),
    "rotations": Kernel(rotations, (SQUARE,)),
    "moves": Kernel(moves, (Spec((2048, 256), jnp.float32),)),
    "empty_steps": Kernel(lambda x: moves(x, 4096), (Spec((8, 128), jnp.float32),)),
    "scalars": Kernel(scalars, (Spec((8, 128), jnp.float32),)),
    "many_live_values": Kernel(many_live_values, (Spec((960, 128), jnp.float32),)),
    "one_copy_at_a_time": Kernel(one_copy_at_a_time, (Spec((1024, 512), jnp.float32),)),
}
