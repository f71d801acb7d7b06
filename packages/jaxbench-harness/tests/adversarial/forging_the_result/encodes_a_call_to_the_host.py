"""Hides a call to the host in encoded text: what it becomes is looked at, not the source.

trick: 44 25
outcome: reject
stage: trace
code: forbidden_call
says: pure_callback
"""

import codecs

import jax
import numpy as np

call = getattr(jax, codecs.decode("cher_pnyyonpx", "rot13"))


def workload(x, y):
    return call(np.matmul, jax.ShapeDtypeStruct((x.shape[0], y.shape[1]), x.dtype), x, y)
