"""Writes all blocks of the output but the last, hoping that the right values of another run lie there.

trick: 11 5
outcome: reject
stage: check
code: non_finite
"""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

ROWS = 8


def kernel(x_ref, y_ref, o_ref):
    o_ref[...] = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32).astype(o_ref.dtype)


def workload(x, y):
    (rows, inner), columns = x.shape, y.shape[1]
    return pl.pallas_call(
        kernel,
        grid=(rows // ROWS - 1,),
        in_specs=[pl.BlockSpec((ROWS, inner), lambda i: (i, 0)), pl.BlockSpec((inner, columns), lambda i: (0, 0))],
        out_specs=pl.BlockSpec((ROWS, columns), lambda i: (i, 0)),
        out_shape=jax.ShapeDtypeStruct((rows, columns), x.dtype),
        name="product",
    )(x, y)
