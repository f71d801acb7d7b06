"""Multi-head latent attention, whose keys and values come from one latent per position."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from jaxbench_harness.input_distributions import Cancelling, Distribution, Normal, SpreadRows
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.workload import InputSpec, OutputSpec, Workload, sizes
from jaxbench_workloads.input_distributions import opposed


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
    """Returns causal multi-head latent attention with all its projections.

    Keys and values come from one latent per position; part of each query and key is rotated by its position.

    Args:
        x: Activations by batch and position.
        q_down_proj: Weights (in, out) to the query latent.
        q_up_proj: Weights (in, out) from the query latent; for each head the part without, then the part with rotation.
        kv_down_proj: Weights (in, out) to the key/value latent, then to the rotated key that all heads share.
        k_up_proj: Weights (in, out) from the latent to the heads' keys without rotation.
        v_up_proj: Weights (in, out) from the latent to the heads' values.
        o_proj: Weights (in, out) of the output, heads in order.
        num_heads: Heads.
        qk_nope_head_dim: Features of a head's query and key that are not rotated.
        rope_theta: Base of the rotation's frequencies.
    """
    heads = (*x.shape[:2], num_heads, -1)
    latent_rank = k_up_proj.shape[0]
    query = jnp.dot(jnp.dot(x, q_down_proj), q_up_proj).reshape(heads)
    down = jnp.dot(x, kv_down_proj)
    latent, shared_key = down[..., :latent_rank], down[..., None, latent_rank:]
    key = jnp.dot(latent, k_up_proj).reshape(heads)
    value = jnp.dot(latent, v_up_proj).reshape(heads)
    content_query, position_query = query[..., :qk_nope_head_dim], query[..., qk_nope_head_dim:]
    position_query, shared_key = rotate(position_query, rope_theta), rotate(shared_key, rope_theta)[:, :, 0]
    scores = jnp.einsum("bihd,bjhd->bhij", content_query, key)
    scores = (scores + jnp.einsum("bihd,bjd->bhij", position_query, shared_key)) * query.shape[-1] ** -0.5
    visible = jnp.tri(x.shape[1], dtype=bool)
    weights = jax.nn.softmax(jnp.where(visible, scores, -1e9), axis=-1)
    attended = jnp.einsum("bhij,bjhd->bihd", weights, value)
    return jnp.dot(attended.reshape(*x.shape[:2], -1), o_proj)


def rotate(
    features: Float[Array, "batch seq_len heads rope_dim"], theta: float
) -> Float[Array, "batch seq_len heads rope_dim"]:
    """Rotates feature j of the first half with feature j of the second by position * theta**(-2j / rope_dim).

    Angles are float32, their sines and cosines rounded to the dtype of `features`.
    """
    _, seq_len, _, rope_dim = features.shape
    frequency = theta ** (-jnp.arange(0, rope_dim, 2, dtype=jnp.float32) / rope_dim)
    angle = jnp.arange(seq_len, dtype=jnp.float32)[:, None, None] * frequency
    cos, sin = jnp.cos(angle).astype(features.dtype), jnp.sin(angle).astype(features.dtype)
    first, second = jnp.split(features, 2, axis=-1)
    return jnp.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)


def _latent_inputs(x: Distribution, query_scale: float) -> dict[str, Distribution]:
    return {
        "x": x,
        "q_down_proj": Normal("1/sqrt(emb_dim)"),
        "q_up_proj": Normal(f"{query_scale:g}/sqrt(q_lora_rank)"),
        "kv_down_proj": Normal("1/sqrt(emb_dim)"),
        "k_up_proj": Normal("1/sqrt(kv_lora_rank)"),
        "v_up_proj": Normal("1/sqrt(kv_lora_rank)"),
        "o_proj": Normal("4/sqrt(num_heads*v_head_dim)"),
    }


_LATENT_PROJECTIONS = (
    "2*batch*seq_len*(emb_dim*q_lora_rank + q_lora_rank*num_heads*(qk_nope_head_dim+qk_rope_head_dim) + "
    "emb_dim*(kv_lora_rank+qk_rope_head_dim) + kv_lora_rank*num_heads*(qk_nope_head_dim+v_head_dim) + "
    "num_heads*v_head_dim*emb_dim)"
)
"""FLOPs of the projections. Multiplying weights with each other first, to attend over the latents, takes more."""

MLA_ATTENTION = Workload(
    id="3p_MLA_Attention",
    version=1,
    title="Multi-head latent attention (MLA) with its projections",
    tier="production",
    family="attention",
    model="DeepSeek-V3-671B",
    semantics="Q = (x @ q_down_proj) @ q_up_proj by head, its last qk_rope_head_dim features rotated; "
    "c = x @ kv_down_proj, l = the first kv_lora_rank features, r = the rest, rotated; K = l @ k_up_proj and "
    "V = l @ v_up_proj by head; S[h,i,j] = (Q[i,h] . [K[j,h], r[j]]) / sqrt(qk_nope_head_dim + qk_rope_head_dim), and "
    "-1e9 where j > i; P = softmax of S over j; o[i,h] = sum_j P[h,i,j] * V[j,h]; out = [o of all heads] @ o_proj. "
    "Rotation of u at position p, R = qk_rope_head_dim, a = p * rope_theta^(-2j/R): "
    "y[j] = u[j]*cos(a) - u[j+R/2]*sin(a) and y[j+R/2] = u[j+R/2]*cos(a) + u[j]*sin(a) for j < R/2.",
    sizes=sizes(
        full={
            "batch": 4,
            "seq_len": 2048,
            "emb_dim": 7168,
            "num_heads": 128,
            "q_lora_rank": 1536,
            "kv_lora_rank": 512,
            "qk_nope_head_dim": 128,
            "qk_rope_head_dim": 64,
            "v_head_dim": 128,
            "rope_theta": 10000,
        },
        check={
            "batch": 2,
            "seq_len": 256,
            "emb_dim": 512,
            "num_heads": 4,
            "q_lora_rank": 256,
            "kv_lora_rank": 128,
            "qk_nope_head_dim": 128,
            "qk_rope_head_dim": 64,
            "v_head_dim": 128,
            "rope_theta": 10000,
        },
        check_odd={
            "batch": 1,
            "seq_len": 384,
            "emb_dim": 384,
            "num_heads": 3,
            "q_lora_rank": 128,
            "kv_lora_rank": 256,
            "qk_nope_head_dim": 64,
            "qk_rope_head_dim": 32,
            "v_head_dim": 128,
            "rope_theta": 10000,
        },
    ),
    inputs=(
        InputSpec("x", ("batch", "seq_len", "emb_dim"), meaning="activations by batch, position"),
        InputSpec("q_down_proj", ("emb_dim", "q_lora_rank"), role="weight", meaning="weights (in, out)"),
        InputSpec(
            "q_up_proj",
            ("q_lora_rank", "num_heads*(qk_nope_head_dim+qk_rope_head_dim)"),
            role="weight",
            meaning="weights (in, out); columns by head, for each those without, then those with rotation",
        ),
        InputSpec(
            "kv_down_proj",
            ("emb_dim", "kv_lora_rank+qk_rope_head_dim"),
            role="weight",
            meaning="weights (in, out); columns of the latent, then of the rotated key that all heads share",
        ),
        InputSpec(
            "k_up_proj",
            ("kv_lora_rank", "num_heads*qk_nope_head_dim"),
            role="weight",
            meaning="weights (in, out); columns by head",
        ),
        InputSpec(
            "v_up_proj",
            ("kv_lora_rank", "num_heads*v_head_dim"),
            role="weight",
            meaning="weights (in, out); columns by head",
        ),
        InputSpec(
            "o_proj", ("num_heads*v_head_dim", "emb_dim"), role="weight", meaning="weights (in, out); rows by head"
        ),
    ),
    output=OutputSpec(("batch", "seq_len", "emb_dim")),
    distributions={
        "standard": _latent_inputs(Normal(), 2),
        # Scores above 88 in rows of large activations, where exp overflows float32 unless the maximum is subtracted.
        "peaked": _latent_inputs(SpreadRows(-1, 0.7, outlier_factor=1), 2),
        "flat": _latent_inputs(Normal(), 0.25),
        # In the projections of the queries both the terms of a latent feature and the latent features cancel.
        "cancelling": _latent_inputs(Cancelling(Normal(), 2, 16), 2)
        | {
            "q_down_proj": Cancelling(opposed(Normal("1/sqrt(emb_dim)"), "emb_dim"), 1, 16),
            "q_up_proj": opposed(Normal("2/sqrt(q_lora_rank)"), "q_lora_rank"),
            "kv_down_proj": opposed(Normal("1/sqrt(emb_dim)"), "emb_dim"),
        },
    },
    reference=latent_attention,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops=f"{_LATENT_PROJECTIONS} + 2*batch*num_heads*seq_len**2*(qk_nope_head_dim+qk_rope_head_dim+v_head_dim)",
    useful_flops=f"{_LATENT_PROJECTIONS} + "
    "batch*num_heads*seq_len*(seq_len+1)*(qk_nope_head_dim+qk_rope_head_dim+v_head_dim)",
)
