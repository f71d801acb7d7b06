"""Asks XLA to run the product on the TPU's host instead of the TPU.

trick: 25 28
outcome: reject
stage: guard
code: forbidden_operation
says: _xla_compute_type
"""

import jax
import jax.numpy as jnp
from jax.experimental.compute_on import compute_on


@compute_on(compute_type="device_host", out_memory_spaces=jax.memory.Space.Device)
@jax.jit
def product(x, y):
    return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)


def workload(x, y):
    return product(x, y)
