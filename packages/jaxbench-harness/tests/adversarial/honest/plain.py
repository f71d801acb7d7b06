"""A plain product, which XLA compiles; what most tricks are compared with.

outcome: pass
flags: no_pallas
"""

import jax.numpy as jnp


def workload(x, y):
    return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)
