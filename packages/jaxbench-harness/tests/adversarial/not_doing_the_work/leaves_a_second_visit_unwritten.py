"""Comes back to each block of the output and writes nothing, as if the block still held what was written before.

trick: 11
outcome: reject
stage: check
code: non_finite
"""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

ROWS = 8


def kernel(x_ref, y_ref, o_ref):
    @pl.when(pl.program_id(0) == 0)
    def _():
        o_ref[...] = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32).astype(o_ref.dtype)


def workload(x, y):
    (rows, inner), columns = x.shape, y.shape[1]
    return pl.pallas_call(
        kernel,
        grid=(2, rows // ROWS),
        in_specs=[pl.BlockSpec((ROWS, inner), lambda _, i: (i, 0)), pl.BlockSpec((inner, columns), lambda *_: (0, 0))],
        out_specs=pl.BlockSpec((ROWS, columns), lambda _, i: (i, 0)),
        out_shape=jax.ShapeDtypeStruct((rows, columns), x.dtype),
        name="product",
    )(x, y)
