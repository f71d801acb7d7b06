"""Writes its output in another order of axes than the workload's, and leaves the transpose to XLA.

outcome: pass
compile: yes
"""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, y_ref, o_ref):
    product = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)
    o_ref[...] = product.T.astype(o_ref.dtype)


def workload(x, y):
    shape = jax.ShapeDtypeStruct((y.shape[1], x.shape[0]), x.dtype)
    return pl.pallas_call(kernel, out_shape=shape, name="transposed_product")(x, y).T
