"""Computes on the host."""

import jax
import numpy as np


def workload(A, B):
    shape = jax.ShapeDtypeStruct((A.shape[0], B.shape[1]), A.dtype)
    return jax.pure_callback(np.matmul, shape, A, B)
