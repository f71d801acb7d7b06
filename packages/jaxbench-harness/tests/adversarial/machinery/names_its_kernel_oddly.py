"""Gives its kernel a name of a hundred thousand characters, with quotes, line ends and what a terminal would obey.

outcome: neutral
like: pallas
"""

import functools

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

NAME = 'gemm", backend_config="\n\x1b[2J} %passed = ' + "long" * 25_000


def kernel(x_ref, y_ref, o_ref, sum_ref, *, steps):
    @pl.when(pl.program_id(2) == 0)
    def _():
        sum_ref[...] = jnp.zeros_like(sum_ref)

    sum_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

    @pl.when(pl.program_id(2) == steps - 1)
    def _():
        o_ref[...] = sum_ref[...].astype(o_ref.dtype)


def workload(x, y):
    (rows, inner), columns = x.shape, y.shape[1]
    m, k, n = 8, 128, 128
    return pl.pallas_call(
        functools.partial(kernel, steps=inner // k),
        grid=(rows // m, columns // n, inner // k),
        in_specs=[pl.BlockSpec((m, k), lambda i, j, s: (i, s)), pl.BlockSpec((k, n), lambda i, j, s: (s, j))],
        out_specs=pl.BlockSpec((m, n), lambda i, j, s: (i, j)),
        out_shape=jax.ShapeDtypeStruct((rows, columns), x.dtype),
        scratch_shapes=[pltpu.VMEM((m, n), jnp.float32)],
        name=NAME,
    )(x, y)
