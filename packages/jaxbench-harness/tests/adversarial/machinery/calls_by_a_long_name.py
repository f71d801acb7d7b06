"""Calls what is not on the guard's list, by many long names with line ends in them that have to be reported.

outcome: reject
stage: guard
code: forbidden_call
"""

import jax
import jax.numpy as jnp
from jax._src.export import _export

NAMES = [f"passed\n\x1b[2J{number:0300}" for number in range(20)]
_export._check_module = lambda *_, **__: False


def workload(x, y):
    result = jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)
    for name in NAMES:
        result = jax.ffi.ffi_call(name, jax.ShapeDtypeStruct(result.shape, result.dtype))(result)
    return result
