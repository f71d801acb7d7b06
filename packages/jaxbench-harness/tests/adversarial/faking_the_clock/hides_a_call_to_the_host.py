"""Hides a call to the host in the branch of a loop in a function with its own derivative.

trick: 25
outcome: reject
stage: trace
code: forbidden_call
says: pure_callback
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


@jax.custom_jvp
def product(x, y):
    shape = jax.ShapeDtypeStruct((x.shape[0], y.shape[1]), x.dtype)

    def on_host():
        return jax.pure_callback(np.matmul, shape, x, y)

    def step(_, total):
        return lax.cond(x[0, 0] > -1e9, on_host, lambda: total)

    return lax.fori_loop(0, 1, step, jnp.zeros(shape.shape, shape.dtype))


product.defjvp(lambda primals, tangents: (product(*primals), product(*tangents)))


def workload(x, y):
    return product(x, y)
