"""Drops the tokens that an expert gets beyond its fair share, as if the router were balanced.

trick: 5 6
workload: 10p_Sparse_MoE
outcome: reject
stage: check
code: element_error
"""

import jax
import jax.numpy as jnp


def workload(x, router_weights, gates, ups, downs, *, num_experts_per_tok):
    experts = router_weights.shape[-1]
    best, chosen = jax.lax.top_k(jnp.dot(x, router_weights), num_experts_per_tok)
    shares = jax.nn.softmax(best, axis=-1).astype(jnp.float32)
    one_hot = jax.nn.one_hot(chosen, experts, dtype=jnp.float32)
    taken = jnp.cumsum(one_hot.sum(axis=-2).reshape(-1, experts), axis=0).reshape(*x.shape[:2], experts)
    capacity = 2 * x.shape[0] * x.shape[1] * num_experts_per_tok // experts
    expert_shares = jnp.sum(one_hot * shares[..., None], axis=-2) * (taken <= capacity)
    hidden = jax.nn.silu(jnp.einsum("bsd,edm->bsem", x, gates)) * jnp.einsum("bsd,edm->bsem", x, ups)
    outputs = jnp.einsum("bsem,emd->bsed", hidden, downs)
    return jnp.sum(outputs.astype(jnp.float32) * expert_shares[..., None], axis=-2)
