"""Answers the benchmarked shape only, and raises at any other.

trick: 8
outcome: reject
stage: trace
code: raised
says: only 256 rows are supported
"""

import jax.numpy as jnp


def workload(x, y):
    if x.shape[0] != 256:
        raise NotImplementedError("only 256 rows are supported")
    return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)
