"""Draws the inputs of a public seed itself, computes with NumPy, and bakes the answer in as a constant.

trick: 7
outcome: reject
stage: check
code: element_error
"""

import jax.numpy as jnp
import ml_dtypes
import numpy as np


def drawn(generator, shape):
    return generator.standard_normal(shape, np.float32).astype(ml_dtypes.bfloat16).astype(np.float32)


def workload(x, y):
    generator = np.random.default_rng(20_240_607)
    return jnp.asarray(drawn(generator, x.shape) @ drawn(generator, y.shape), x.dtype)
