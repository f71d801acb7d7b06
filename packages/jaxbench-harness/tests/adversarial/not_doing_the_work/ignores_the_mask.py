"""Takes every pair to be present and leaves the mask out.

trick: 6 9
workload: 17p_Triangle_Multiplication
outcome: reject
stage: check
code: element_error
"""

import jax
import jax.numpy as jnp


def workload(pair, mask, left, right, left_gate, right_gate, scale, out, out_gate, *, epsilon):
    first = jnp.dot(pair, left) * jax.nn.sigmoid(jnp.dot(pair, left_gate))
    second = jnp.dot(pair, right) * jax.nn.sigmoid(jnp.dot(pair, right_gate))
    update = jnp.einsum("ikc,jkc->ijc", first, second)
    normalized = update / jnp.sqrt(jnp.mean(update * update, axis=-1, keepdims=True) + epsilon) * scale
    return jnp.dot(normalized, out) * jax.nn.sigmoid(jnp.dot(pair, out_gate))
