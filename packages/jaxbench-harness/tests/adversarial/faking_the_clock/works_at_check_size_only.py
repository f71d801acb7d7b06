"""Does the work at the size that is checked, and next to nothing at the size that would be timed.

trick: 30
outcome: flag
flags: size_divergence work_skipped
like: pallas
"""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl


def kernel(x_ref, y_ref, o_ref):
    o_ref[...] = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32).astype(o_ref.dtype)


def idle(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] + y_ref[...]


def workload(x, y):
    shape = jax.ShapeDtypeStruct((x.shape[0], y.shape[1]), x.dtype)
    return pl.pallas_call(idle if x.shape[0] == 256 else kernel, out_shape=shape, name="product")(x, y)
