"""Prepares the weights in its first call and uses them in every later one, whatever weights it gets.

trick: 14
outcome: reject
stage: guard
code: protocol
says: the Program takes float32[256,256]
"""

import jax.numpy as jnp

prepared = []


def workload(x, y):
    if not prepared:
        prepared.append(y.astype(jnp.float32))
    weights = prepared[0][: y.shape[0], : y.shape[1]]
    return jnp.dot(x.astype(jnp.float32), weights).astype(x.dtype)
