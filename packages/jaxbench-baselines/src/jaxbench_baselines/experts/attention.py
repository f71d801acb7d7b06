"""Causal attention of whole sequences, by kernels of Tokamax and of JAX."""

from typing import Any, cast

import jax
import jax.numpy as jnp
from jax.experimental.pallas.ops.tpu.flash_attention import BlockSizes
from jax.experimental.pallas.ops.tpu.flash_attention import flash_attention as jax_flash_attention
from jaxtyping import Array, Float
from tokamax._src.ops.experimental.tpu.splash_attention.base import CAUSAL_MASK  # no public name has it
from tokamax.ops.experimental.tpu import SplashAttention, SplashAttentionConfig

from jaxbench_baselines.experts.latent_projections import latent_heads
from jaxbench_baselines.experts.tiling import block_size
from jaxbench_baselines.settings import Settings, read_settings

_SPLASH = (
    "block_q",
    "block_kv",
    "block_kv_compute",
    "q_layout",
    "k_layout",
    "v_layout",
    "use_experimental_scheduler",
    "qk_diag_skip",
    "qk_diag_grid",
    "sv_diag_skip",
)

Heads = Float[Array, "batch heads seq_len head_dim"]
HeadsLast = Float[Array, "batch seq_len heads head_dim"]


def flash_attention(query: Heads, key: Heads, value: Heads) -> Heads:
    """Splash attention of scaled queries, which the kernel does not scale itself; the scaling is timed."""
    return _splash(_scaled(query), key, value)


def sparse_attention(q: Heads, k: Heads, v: Heads) -> Heads:
    """Splash attention; fewer key heads than query heads are the kernel's own case, so nothing is repeated."""
    return _splash(q, k, v)


def grouped_query_attention(query: HeadsLast, key: HeadsLast, value: HeadsLast) -> HeadsLast:
    """Splash attention, whose kernel wants heads before positions: the scaling and the transposes are timed."""
    return _heads_last(query, key, value)


def latent_attention(
    x: Float[Array, "batch seq_len emb_dim"],
    q_down_proj: Float[Array, "emb_dim q_lora_rank"],
    q_up_proj: Float[Array, "q_lora_rank query_features"],
    kv_down_proj: Float[Array, "emb_dim latent_features"],
    k_up_proj: Float[Array, "kv_lora_rank key_features"],
    v_up_proj: Float[Array, "kv_lora_rank value_features"],
    o_proj: Float[Array, "value_features emb_dim"],
    *,
    num_heads: int,
    qk_nope_head_dim: int,
    rope_theta: float,
) -> Float[Array, "batch seq_len emb_dim"]:
    """Projections by XLA around splash attention with heads of 192 (queries, keys) and 128 (values), not padded."""
    query, key, value = latent_heads(
        x, q_down_proj, q_up_proj, kv_down_proj, k_up_proj, v_up_proj, num_heads, qk_nope_head_dim, rope_theta
    )
    attended = _heads_last(query, key, value)
    return attended.reshape(*x.shape[:2], -1) @ o_proj


def flex_attention(q: Heads, k: Heads, v: Heads, rel_pos_bias: Float[Array, "heads seq_len seq_len"]) -> Heads:
    """Flash attention of JAX with a bias, mapped over the batch, which the bias does not have.

    The kernel adds the bias before it scales the scores, so the queries are scaled instead; that is timed. It has no
    other way to share the bias: broadcasting it takes 8 GB of HBM at full size.
    """
    settings = read_settings("block_q", "block_k_major", "block_k")
    seq_len = q.shape[2]
    block_k_major = block_size(seq_len, settings["block_k_major"])
    blocks = BlockSizes(
        block_q=block_size(seq_len, settings["block_q"]),
        block_k_major=block_k_major,
        block_k=block_size(block_k_major, settings["block_k"], steps=1),
        block_b=1,
    )

    def of_one(query: jax.Array, key: jax.Array, value: jax.Array) -> jax.Array:
        return cast(
            "jax.Array",
            jax_flash_attention(
                query[None],
                key[None],
                value[None],
                ab=rel_pos_bias[None],
                causal=True,
                sm_scale=1.0,
                block_sizes=blocks,
            )[0],
        )

    return jax.vmap(of_one)(_scaled(q), k, v)


def _blocks(settings: Settings, seq_len: int) -> dict[str, int]:
    block_kv = block_size(seq_len, settings["block_kv"])
    return {
        "block_q": block_size(seq_len, settings["block_q"]),
        "block_kv": block_kv,
        "block_kv_compute": block_size(block_kv, settings["block_kv_compute"], steps=1),
    }


def _scaled(query: jax.Array) -> jax.Array:
    """Returns the queries over the square root of their length.

    In float32 and rounded once: a factor of bfloat16 is up to 0.4% off, and 192**-0.5 is 0.13% off.
    """
    return (query.astype(jnp.float32) * query.shape[-1] ** -0.5).astype(query.dtype)


def _heads_last(query: HeadsLast, key: HeadsLast, value: HeadsLast) -> HeadsLast:
    query, key, value = (heads.swapaxes(1, 2) for heads in (_scaled(query), key, value))
    return _splash(query, key, value).swapaxes(1, 2)


def _splash(query: Heads, key: Heads, value: Heads) -> Heads:
    settings = read_settings(*_SPLASH)
    arguments: dict[str, Any] = {
        **settings,
        **_blocks(settings, query.shape[2]),
    }  # switches and enumerations as numbers
    attend = SplashAttention(config=SplashAttentionConfig(**arguments))

    def of_one(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
        return attend(q, k, v, mask=CAUSAL_MASK)

    return jax.vmap(of_one)(query, key, value)
