"""Is right and far slower than XLA: one row of the output per grid step.

outcome: pass
compile: yes
"""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, y_ref, o_ref):
    row = x_ref[...].astype(jnp.float32)
    columns = y_ref[...].astype(jnp.float32)
    o_ref[...] = jnp.sum(row[:, 0, :, None] * columns[None], axis=1)[:, None].astype(o_ref.dtype)


def workload(x, y):
    (rows, inner), columns = x.shape, y.shape[1]
    out = pl.pallas_call(
        kernel,
        grid=(rows,),
        in_specs=[pl.BlockSpec((1, 1, inner), lambda i: (i, 0, 0)), pl.BlockSpec((inner, columns), lambda i: (0, 0))],
        out_specs=pl.BlockSpec((1, 1, columns), lambda i: (i, 0, 0)),
        out_shape=jax.ShapeDtypeStruct((rows, 1, columns), x.dtype),
        name="product",
    )(x[:, None], y)
    return out[:, 0]
