"""Is a Program that needs more memory than the process that runs it may have.

trick: 42
outcome: reject
stage: check
code: memory
config: resident_bytes=1000000000
"""

import jax.numpy as jnp
from jax import lax


def workload(x, y):
    row = x[0, 0].astype(jnp.float32)
    large = lax.optimization_barrier(jnp.full((4 * 2**28,), row))
    product = jnp.dot(x, y, preferred_element_type=jnp.float32)
    return (product + 0 * lax.optimization_barrier(large.at[3].set(1)).sum()).astype(x.dtype)
