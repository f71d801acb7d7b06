"""Keeps outputs by the bytes of the inputs and cannot do without them: there are none while it is traced.

trick: 13
outcome: reject
stage: trace
code: raised
says: TracerArrayConversionError
"""

import jax.numpy as jnp
import numpy as np

outputs = {}


def workload(x, y):
    key = np.asarray(x[0, :8]).tobytes()
    if key not in outputs:
        outputs[key] = jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)
    return outputs[key]
