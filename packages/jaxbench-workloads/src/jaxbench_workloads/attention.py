"""Attention workloads."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from jaxbench_harness.input_distributions import Normal, SpreadRows
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.workload import InputSpec, OutputSpec, Workload, sizes


def causal_attention(
    query: Float[Array, "batch num_heads seq_len head_dim"],
    key: Float[Array, "batch num_heads seq_len head_dim"],
    value: Float[Array, "batch num_heads seq_len head_dim"],
) -> Float[Array, "batch num_heads seq_len head_dim"]:
    """Returns causal multi-head attention; position i uses the keys at positions up to and including i."""
    scores = jnp.matmul(query, key.swapaxes(2, 3)) * query.shape[-1] ** -0.5
    visible = jnp.tri(query.shape[-2], dtype=bool)
    weights = jax.nn.softmax(jnp.where(visible, scores, -1e9), axis=-1)
    return jnp.matmul(weights, value)


_HEADS = ("batch", "num_heads", "seq_len", "head_dim")

FLASH_ATTENTION = Workload(
    id="1p_Flash_Attention",
    version=1,
    title="Causal multi-head attention (flash attention)",
    tier="production",
    family="attention",
    model="Llama-3.1-70B",
    semantics="S[b,h,i,j] = (sum_d query[b,h,i,d] * key[b,h,j,d]) / sqrt(head_dim), and -1e9 where j > i; "
    "P = softmax of S over j; out[b,h,i,d] = sum_j P[b,h,i,j] * value[b,h,j,d].",
    sizes=sizes(
        full={"batch": 4, "num_heads": 64, "seq_len": 4096, "head_dim": 128},
        check={"batch": 2, "num_heads": 2, "seq_len": 256, "head_dim": 128},
        check_odd={"batch": 1, "num_heads": 3, "seq_len": 384, "head_dim": 128},
    ),
    inputs=(
        InputSpec("query", _HEADS, meaning="queries by batch, head, position"),
        InputSpec("key", _HEADS, meaning="keys, one head per query head"),
        InputSpec("value", _HEADS, meaning="values, one head per query head"),
    ),
    output=OutputSpec(_HEADS),
    distributions={
        "standard": {"query": Normal(2), "key": Normal(), "value": Normal()},
        # From flat rows to scores far above 88, where exp overflows float32 unless the row maximum is subtracted.
        "peaked": {"query": SpreadRows(-1, 1.6, outlier_factor=1), "key": Normal(), "value": Normal()},
        # Every key weighs about the same, so late rows are small and each key block counts.
        "flat": {"query": Normal(0.25), "key": Normal(), "value": Normal()},
    },
    reference=causal_attention,
    tolerance=Tolerance(scale="row", rtol=0.02, atol_scale=0.1),
    flops="4*batch*num_heads*seq_len**2*head_dim",
)
