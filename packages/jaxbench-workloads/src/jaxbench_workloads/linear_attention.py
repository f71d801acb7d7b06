"""Linear attention workloads."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from jaxbench_harness.input_distributions import Normal
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.workload import InputSpec, OutputSpec, Workload, sizes
from jaxbench_workloads.input_distributions import LogNormalRows, QuietRows


def retention(
    query: Float[Array, "batch num_heads seq_len head_dim"],
    key: Float[Array, "batch num_heads seq_len head_dim"],
    value: Float[Array, "batch num_heads seq_len head_dim"],
) -> Float[Array, "batch num_heads seq_len head_dim"]:
    """Returns retention: scores that decay with distance, over the sum of their magnitudes where that exceeds 1.

    Decays, scores and sums are float32; the weights are rounded to the dtype of `query` before they meet the values.
    """
    num_heads, seq_len = query.shape[1:3]
    log_decay = jnp.log1p(-jnp.exp2(-5 - jnp.arange(num_heads, dtype=jnp.float32)))
    position = jnp.arange(seq_len, dtype=jnp.float32)
    distance = position[:, None] - position
    decay = jnp.exp(log_decay[:, None, None] * jnp.where(distance >= 0, distance, jnp.inf))
    scores = jnp.einsum("bhid,bhjd->bhij", query, key, preferred_element_type=jnp.float32) * decay
    magnitude = jnp.maximum(jnp.sum(jnp.abs(scores), axis=-1, keepdims=True), 1)
    return jnp.matmul((scores / magnitude).astype(query.dtype), value)


_HEADS = ("batch", "num_heads", "seq_len", "head_dim")

RETNET_RETENTION = Workload(
    id="15p_RetNet_Retention",
    version=1,
    title="Multi-scale retention, normalized by the sum of magnitudes",
    tier="production",
    family="linear_attention",
    model="RetNet-6.7B",
    semantics="gamma[h] = 1 - 2^(-5-h); w[b,h,i,j] = (sum_d query[b,h,i,d] * key[b,h,j,d]) * gamma[h]^(i-j), and 0 "
    "where j > i; n[b,h,i] = max(sum_j |w[b,h,i,j]|, 1); out[b,h,i,d] = sum_j w[b,h,i,j] / n[b,h,i] * value[b,h,j,d]. "
    "w and n are float32, w / n is rounded to the dtype of query.",
    sizes=sizes(
        full={"batch": 4, "num_heads": 16, "seq_len": 4096, "head_dim": 256},
        check={"batch": 1, "num_heads": 4, "seq_len": 256, "head_dim": 256},
        check_odd={"batch": 2, "num_heads": 3, "seq_len": 384, "head_dim": 128},
    ),
    inputs=(
        InputSpec("query", _HEADS, meaning="queries by batch, head, position"),
        InputSpec("key", _HEADS, meaning="keys, one head per query head"),
        InputSpec("value", _HEADS, meaning="values, one head per query head"),
    ),
    output=OutputSpec(_HEADS),
    distributions={
        # In the quiet rows the sum of magnitudes is mostly below 1.
        "standard": {"query": QuietRows(0.25), "key": LogNormalRows(), "value": Normal()},
        "large": {"query": Normal(8), "key": Normal(), "value": Normal()},
        # The sum of magnitudes is around 1, so that either side of the maximum occurs.
        "small": {"query": Normal("0.05/sqrt(head_dim)"), "key": LogNormalRows(), "value": Normal()},
    },
    reference=retention,
    tolerance=Tolerance(scale="row", rtol=0.02, atol_scale=0.1),
    flops="4*batch*num_heads*seq_len**2*head_dim",
    # The sum of magnitudes needs every score of a visible key. The sum over values does not: a recurrence over decayed
    # sums of key * value^T takes 4*head_dim**2 per position, less at both ends. In short sequences that is more.
    useful_flops="batch*num_heads*head_dim*(seq_len*(seq_len+1) + "
    "min(seq_len*(seq_len+1), 2*head_dim*(2*seq_len-head_dim)))",
)
