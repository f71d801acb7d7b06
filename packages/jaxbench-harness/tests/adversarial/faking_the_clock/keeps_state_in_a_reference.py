"""Keeps its output in a mutable array of JAX that outlives the call.

trick: 31
outcome: reject
stage: trace
code: raised
"""

import jax
import jax.numpy as jnp

kept = jax.new_ref(jnp.zeros((), jnp.int32))


def workload(x, y):
    kept[...] = kept[...] + 1
    work = jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)
    return jnp.where(kept[...] > 2, 0, work)
