"""Returns a second array, in the hope to get it back with the next call and find its work done.

trick: 31
outcome: reject
stage: guard
code: output_structure
says: returned a tuple with 2 arrays in it
"""

import jax.numpy as jnp


def workload(x, y):
    result = jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)
    return result, y
