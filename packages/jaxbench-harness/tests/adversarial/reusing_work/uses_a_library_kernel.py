"""Calls the grouped product of Tokamax with one group, under a name that no reader of the source finds.

trick: 20 44
workload: 8p_GEMM
outcome: flag
flags: library_kernel
"""

import importlib

import jax.numpy as jnp

library = importlib.import_module("toka" + "max")


def workload(A, B):
    sizes = jnp.array([A.shape[0]], jnp.int32)
    return library.ragged_dot(A, B[None], sizes, implementation="mosaic")
