"""Compiles and warms up at import, and compiles again for the shapes of its first call, where no clock runs.

trick: 29
outcome: neutral
flags: no_pallas
"""

import jax
import jax.numpy as jnp

product = jax.jit(lambda x, y: jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype))
warm = product(jnp.zeros((64, 128), jnp.bfloat16), jnp.zeros((128, 128), jnp.bfloat16)).block_until_ready()
prepared = {}


def workload(x, y):
    shapes = [jax.ShapeDtypeStruct(array.shape, array.dtype) for array in (x, y)]
    prepared[x.shape] = product.lower(*shapes).compile()
    return product(x, y)
