"""Has its kernel write the output over an input, so that a reference run later on the same buffers would agree.

trick: 40
outcome: reject
stage: check
code: element_error
"""

import jax
from jax.experimental import pallas as pl


def kernel(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] * 0


def workload(x, y):
    zeros = pl.pallas_call(
        kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), input_output_aliases={0: 0}, name="overwrites"
    )(x, y)
    return (zeros @ y).astype(x.dtype)
