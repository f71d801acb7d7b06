"""Returns an object that computes when it is looked at, after the clock has stopped.

trick: 23
outcome: reject
stage: trace
code: raised
says: not a valid JAX type
"""

import jax.numpy as jnp


class Lazy:
    def __init__(self, compute, shape, dtype):
        self.compute, self.shape, self.dtype = compute, shape, dtype

    def block_until_ready(self):
        return self

    def __array__(self, dtype=None, copy=None):
        return self.compute()


def workload(x, y):
    return Lazy(lambda: jnp.dot(x, y), (x.shape[0], y.shape[1]), x.dtype)
