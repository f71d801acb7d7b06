"""Returns one number, which a careless comparison would broadcast over the whole output.

trick: 3
outcome: reject
stage: guard
code: output_shape
says: returned bfloat16[1,1]
"""

import jax.numpy as jnp


def workload(x, y):
    return jnp.mean(x @ y, keepdims=True)
