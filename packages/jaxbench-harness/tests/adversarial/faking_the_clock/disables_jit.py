"""Switches compilation off for the rest of the process, so that whoever is timed next runs eagerly.

trick: 26 32
outcome: neutral
flags: no_pallas
"""

import jax
import jax.numpy as jnp

jax.config.update("jax_disable_jit", True)


def workload(x, y):
    return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)
