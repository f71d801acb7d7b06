"""Compiles, warms up and lays out its inputs at import and at its first call, where no clock runs.

trick: 29
outcome: neutral
flags: no_pallas
"""

import jax
import jax.numpy as jnp

product = jax.jit(lambda x, y: jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype))
warm = product(jnp.zeros((64, 128), jnp.bfloat16), jnp.zeros((128, 128), jnp.bfloat16)).block_until_ready()
transposed = {}


def workload(x, y):
    transposed[x.shape] = jnp.swapaxes(y, 0, 1)
    return product(x, jnp.swapaxes(transposed[x.shape], 0, 1))
