"""Has the host multiply, while the device does next to nothing; ordered, so that nothing removes the call.

trick: 25
outcome: reject
stage: trace
code: forbidden_call
says: io_callback
"""

import jax
import numpy as np
from jax.experimental import io_callback


def workload(x, y):
    shape = jax.ShapeDtypeStruct((x.shape[0], y.shape[1]), x.dtype)
    return io_callback(np.matmul, shape, x, y, ordered=True)
