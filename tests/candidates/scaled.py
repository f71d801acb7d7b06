"""Right but for a scale that is 1 % off."""

import jax.numpy as jnp


def workload(A, B):
    return (1.01 * jnp.dot(A, B, preferred_element_type=jnp.float32)).astype(A.dtype)
