"""Queries, keys and values of multi-head latent attention, in plain JAX."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

Heads = Float[Array, "batch seq_len heads head_dim"]


def latent_heads(
    x: Float[Array, "batch seq_len emb_dim"],
    q_down: Float[Array, "emb_dim q_rank"],
    q_up: Float[Array, "q_rank query_features"],
    kv_down: Float[Array, "emb_dim latent_features"],
    k_up: Float[Array, "kv_rank key_features"],
    v_up: Float[Array, "kv_rank value_features"],
    num_heads: int,
    content_dim: int,
    theta: float,
) -> tuple[Heads, Heads, Heads]:
    """Returns queries and keys, each with its rotated part behind `content_dim` features, and values."""
    batch, seq_len, _ = x.shape
    heads = (batch, seq_len, num_heads, -1)
    query = (x @ q_down @ q_up).reshape(heads)
    latent, shared_key = jnp.split(x @ kv_down, [k_up.shape[0]], axis=-1)
    key, value = (latent @ k_up).reshape(heads), (latent @ v_up).reshape(heads)
    content, position = jnp.split(query, [content_dim], axis=-1)
    rotated_key = _rotated(shared_key[:, :, None], theta)
    rotated_key = jnp.broadcast_to(rotated_key, (batch, seq_len, num_heads, rotated_key.shape[-1]))
    query = jnp.concatenate([content, _rotated(position, theta)], axis=-1)
    return query, jnp.concatenate([key, rotated_key], axis=-1), value


def _rotated(features: Heads, theta: float) -> Heads:
    """Rotates the pairs (j, j + half) by position * theta**(-j / half); sines are rounded to the features' dtype."""
    seq_len, half = features.shape[1], features.shape[-1] // 2
    angles = jnp.outer(jnp.arange(seq_len, dtype=jnp.float32), theta ** (-jnp.arange(half, dtype=jnp.float32) / half))
    cosines, sines = (jax.lax.convert_element_type(f(angles), features.dtype)[:, None] for f in (jnp.cos, jnp.sin))
    first, second = features[..., :half], features[..., half:]
    return jnp.concatenate([first * cosines - second * sines, first * sines + second * cosines], axis=-1)
