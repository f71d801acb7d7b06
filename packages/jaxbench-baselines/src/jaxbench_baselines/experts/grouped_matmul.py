"""Matrix products of rows that are grouped by expert, by kernels of Tokamax."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int
from tokamax.ops.tpu import RaggedDot, RaggedDotConfig

from jaxbench_baselines.experts.tiling import block_size, clear_rest
from jaxbench_baselines.settings import Settings, read_settings

_TILES = ("tile_m", "tile_k", "tile_n", "input_buffer_count")
_DOWN = "down_"


def grouped_matmul(
    lhs: Float[Array, "rows K"],
    rhs: Float[Array, "groups K N"],
    group_sizes: Int[Array, " groups"],
    max_expert_size: int,
) -> Float[Array, "rows N"]:
    """Ragged dot of Tokamax, the first version: no interpreter runs the second one, so it cannot be checked."""
    del max_expert_size
    return clear_rest(_ragged_dot(lhs, rhs, group_sizes, read_settings(*_TILES)), jnp.sum(group_sizes))


def ragged_dot(x: Float[Array, "groups rows K"], experts: Float[Array, "groups K N"]) -> Float[Array, "groups rows N"]:
    """Ragged dot of Tokamax over groups that are all of one size."""
    groups, rows, _ = x.shape
    sizes = jnp.full((groups,), rows, jnp.int32)
    out = _ragged_dot(x.reshape(groups * rows, -1), experts, sizes, read_settings(*_TILES))
    return out.reshape(groups, rows, -1)


def sparse_moe(
    x: Float[Array, "batch seq_len emb_dim"],
    router_weights: Float[Array, "emb_dim num_experts"],
    expert_gate_kernels: Float[Array, "num_experts emb_dim mlp_dim"],
    expert_up_kernels: Float[Array, "num_experts emb_dim mlp_dim"],
    expert_down_kernels: Float[Array, "num_experts mlp_dim emb_dim"],
    *,
    num_experts_per_tok: int,
) -> Float[Array, "batch seq_len emb_dim"]:
    """Tokens sorted by expert, three ragged dots, and the weighted sum of each token's results in float32.

    Sorting, gathering and the sum are plain JAX and timed. Only the chosen experts are computed.
    """
    settings = read_settings(*_TILES, *(_DOWN + name for name in _TILES))
    down_settings = {name: settings[_DOWN + name] for name in _TILES}
    tokens = x.reshape(-1, x.shape[-1])
    logits, chosen = jax.lax.top_k(tokens @ router_weights, num_experts_per_tok)
    shares = jax.nn.softmax(logits, axis=-1).astype(jnp.float32)
    by_expert = jnp.argsort(chosen.reshape(-1), stable=True)
    sizes = jnp.bincount(chosen.reshape(-1), length=router_weights.shape[1]).astype(jnp.int32)
    rows = tokens[by_expert // num_experts_per_tok]
    gate = _ragged_dot(rows, expert_gate_kernels, sizes, settings)
    up = _ragged_dot(rows, expert_up_kernels, sizes, settings)
    results = _ragged_dot(jax.nn.silu(gate) * up, expert_down_kernels, sizes, down_settings)
    places = jnp.zeros_like(by_expert).at[by_expert].set(jnp.arange(by_expert.size), unique_indices=True)
    of_token = results[places].reshape(*chosen.shape, -1).astype(jnp.float32)
    return jnp.sum(of_token * shares[..., None], axis=1).reshape(x.shape)


def _ragged_dot(
    rows: Float[Array, "rows K"], weights: Float[Array, "groups K N"], sizes: Int[Array, " groups"], settings: Settings
) -> Float[Array, "rows N"]:
    (total, depth), width = rows.shape, weights.shape[2]
    config = RaggedDotConfig(
        tile_m=block_size(total, settings["tile_m"]),
        tile_k=block_size(depth, settings["tile_k"], steps=1),
        tile_n=block_size(width, settings["tile_n"], steps=1),
        input_buffer_count=settings["input_buffer_count"],
    )
    return RaggedDot(config=config)(rows, weights, group_sizes=sizes)
