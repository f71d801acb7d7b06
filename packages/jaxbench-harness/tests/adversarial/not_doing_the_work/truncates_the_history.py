"""Lets each position see the last 128 ones only, though some heads forget more slowly.

trick: 5
workload: 16p_Mamba2_SSD
outcome: reject
stage: check
code: element_error
"""

import jax
import jax.numpy as jnp


def workload(query, key, value, A_log):
    since_start = jnp.cumsum(jnp.log(jax.nn.sigmoid(A_log) + 1e-8), axis=-1)
    age = jnp.arange(query.shape[2])[:, None] - jnp.arange(query.shape[2])
    visible = (age >= 0) & (age < 128)
    log_decay = jnp.where(visible, since_start[..., :, None] - since_start[..., None, :], -jnp.inf)
    scores = jnp.einsum("bhid,bhjd->bhij", query, key, preferred_element_type=jnp.float32) * jnp.exp(log_decay)
    magnitude = jnp.maximum(jnp.abs(jnp.sum(scores, axis=-1, keepdims=True)), 1)
    return jnp.matmul((scores / magnitude).astype(query.dtype), value)
