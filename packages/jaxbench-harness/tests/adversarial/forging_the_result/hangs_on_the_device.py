"""Is a Program whose loop never ends, so that the process that runs it hangs.

trick: 42
outcome: reject
stage: check
code: timeout
config: check_timeout_s=12
"""

import jax.numpy as jnp
from jax import lax


def workload(x, y):
    def turn(value):
        return value * 2

    still = lax.while_loop(lambda value: value[0, 0] == value[0, 0], turn, jnp.zeros((1, 1), jnp.float32))
    return (jnp.dot(x, y, preferred_element_type=jnp.float32) + still).astype(x.dtype)
