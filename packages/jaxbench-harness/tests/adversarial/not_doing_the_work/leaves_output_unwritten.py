"""Allocates the output and never writes it, hoping that freed memory shows through.

trick: 11
outcome: reject
stage: check
code: non_finite
"""

import jax
from jax.experimental import pallas as pl


def kernel(x_ref, y_ref, o_ref):
    pass


def workload(x, y):
    shape = jax.ShapeDtypeStruct((x.shape[0], y.shape[1]), x.dtype)
    return pl.pallas_call(kernel, out_shape=shape, name="nothing")(x, y)
