"""Returns its array in a list; every workload has one array as its output, so this is refused and named.

outcome: reject
stage: guard
code: output_structure
says: returned a list with 1 array in it
"""

import jax.numpy as jnp


def workload(x, y):
    return [jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)]
