"""Causal attention of queries, keys and values that are given."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from jaxbench_harness.input_distributions import Normal, SpreadRows, with_cancelling
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.workload import InputSpec, OutputSpec, Workload, sizes
from jaxbench_workloads.input_distributions import BiasWithFuture


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
    distributions=with_cancelling(
        {
            "standard": {"query": Normal(2), "key": Normal(), "value": Normal()},
            # From flat rows to scores far above 88, where exp overflows float32 unless the row maximum is subtracted.
            "peaked": {"query": SpreadRows(-1, 1.6, outlier_factor=1), "key": Normal(), "value": Normal()},
            # Every key weighs about the same, so late rows are small and each key block counts.
            "flat": {"query": Normal(0.25), "key": Normal(), "value": Normal()},
        },
        "4*sqrt(head_dim)",
        query=-1,
        key=-1,
    ),
    reference=causal_attention,
    tolerance=Tolerance(scale="row", rtol=0.02, atol_scale=0.1),
    flops="4*batch*num_heads*seq_len**2*head_dim",
    useful_flops="2*batch*num_heads*seq_len*(seq_len+1)*head_dim",
)


def grouped_query_attention(
    query: Float[Array, "batch seq_len num_query_heads head_dim"],
    key: Float[Array, "batch seq_len num_kv_heads head_dim"],
    value: Float[Array, "batch seq_len num_kv_heads head_dim"],
) -> Float[Array, "batch seq_len num_query_heads head_dim"]:
    """Returns causal attention in which consecutive query heads share a key and value head."""
    batch, seq_len, _, head_dim = query.shape
    grouped = query.reshape(batch, seq_len, key.shape[2], -1, head_dim)
    scores = jnp.einsum("bikgd,bjkd->bkgij", grouped, key) * head_dim**-0.5
    visible = jnp.tri(seq_len, dtype=bool)
    weights = jax.nn.softmax(jnp.where(visible, scores, -1e9), axis=-1)
    return jnp.einsum("bkgij,bjkd->bikgd", weights, value).reshape(query.shape)


_QUERY_HEADS_LAST = ("batch", "seq_len", "num_query_heads", "head_dim")
_KV_HEADS_LAST = ("batch", "seq_len", "num_kv_heads", "head_dim")

GQA_ATTENTION = Workload(
    id="2p_GQA_Attention",
    version=1,
    title="Causal grouped-query attention (128 query heads, 8 key/value heads)",
    tier="production",
    family="attention",
    model="Llama-3.1-405B",
    semantics="g(h) = floor(h / (num_query_heads / num_kv_heads)); "
    "S[b,h,i,j] = (sum_d query[b,i,h,d] * key[b,j,g(h),d]) / sqrt(head_dim), and -1e9 where j > i; "
    "P = softmax of S over j; out[b,i,h,d] = sum_j P[b,h,i,j] * value[b,j,g(h),d].",
    sizes=sizes(
        full={"batch": 4, "seq_len": 4096, "num_query_heads": 128, "num_kv_heads": 8, "head_dim": 128},
        check={"batch": 1, "seq_len": 256, "num_query_heads": 32, "num_kv_heads": 8, "head_dim": 128},
        check_odd={"batch": 2, "seq_len": 384, "num_query_heads": 6, "num_kv_heads": 3, "head_dim": 128},
    ),
    inputs=(
        InputSpec("query", _QUERY_HEADS_LAST, meaning="queries by batch, position, head"),
        InputSpec("key", _KV_HEADS_LAST, meaning="keys, one head per group of query heads"),
        InputSpec("value", _KV_HEADS_LAST, meaning="values, one head per group of query heads"),
    ),
    output=OutputSpec(_QUERY_HEADS_LAST),
    distributions=with_cancelling(
        {
            "standard": {"query": Normal(2), "key": Normal(), "value": Normal()},
            # See FLASH_ATTENTION.
            "peaked": {"query": SpreadRows(-1, 1.6, outlier_factor=1), "key": Normal(), "value": Normal()},
            "flat": {"query": Normal(0.25), "key": Normal(), "value": Normal()},
        },
        "4*sqrt(head_dim)",
        query=-1,
        key=-1,
    ),
    reference=grouped_query_attention,
    tolerance=Tolerance(scale="row", rtol=0.02, atol_scale=0.1),
    flops="4*batch*num_query_heads*seq_len**2*head_dim",
    useful_flops="2*batch*num_query_heads*seq_len*(seq_len+1)*head_dim",
)


def sparse_attention(
    q: Float[Array, "batch num_query_heads seq_len head_dim"],
    k: Float[Array, "batch num_kv_heads seq_len head_dim"],
    v: Float[Array, "batch num_kv_heads seq_len head_dim"],
) -> Float[Array, "batch num_query_heads seq_len head_dim"]:
    """Returns causal grouped-query attention of queries that are scaled already.

    Despite the name the causal mask is the only sparsity.
    """
    batch, _, seq_len, head_dim = q.shape
    grouped = q.reshape(batch, k.shape[1], -1, seq_len, head_dim)
    scores = jnp.einsum("bkgid,bkjd->bkgij", grouped, k)
    visible = jnp.tri(seq_len, dtype=bool)
    weights = jax.nn.softmax(jnp.where(visible, scores, -1e30), axis=-1)
    return jnp.einsum("bkgij,bkjd->bkgid", weights, v).reshape(q.shape)


_QUERY_HEADS = ("batch", "num_query_heads", "seq_len", "head_dim")
_KV_HEADS = ("batch", "num_kv_heads", "seq_len", "head_dim")

SPARSE_ATTENTION = Workload(
    id="4p_Sparse_Attention",
    version=1,
    title="Causal grouped-query attention of scaled queries (splash attention)",
    tier="production",
    family="attention",
    model="Llama-3.1-70B",
    semantics="g(h) = floor(h / (num_query_heads / num_kv_heads)); S[b,h,i,j] = sum_d q[b,h,i,d] * k[b,g(h),j,d], "
    "unscaled, and -1e30 where j > i; P = softmax of S over j; out[b,h,i,d] = sum_j P[b,h,i,j] * v[b,g(h),j,d].",
    sizes=sizes(
        full={"batch": 4, "num_query_heads": 64, "num_kv_heads": 8, "seq_len": 4096, "head_dim": 128},
        check={"batch": 2, "num_query_heads": 8, "num_kv_heads": 2, "seq_len": 256, "head_dim": 128},
        check_odd={"batch": 1, "num_query_heads": 6, "num_kv_heads": 3, "seq_len": 384, "head_dim": 128},
    ),
    inputs=(
        InputSpec("q", _QUERY_HEADS, meaning="queries by batch, head, position, multiplied by 1/sqrt(head_dim)"),
        InputSpec("k", _KV_HEADS, meaning="keys, one head per group of query heads"),
        InputSpec("v", _KV_HEADS, meaning="values, one head per group of query heads"),
    ),
    output=OutputSpec(_QUERY_HEADS),
    distributions=with_cancelling(
        {
            "standard": {"q": Normal("2/sqrt(head_dim)"), "k": Normal(), "v": Normal()},
            # As in FLASH_ATTENTION with 1/sqrt(head_dim), about 10**-1.05, in the queries.
            "peaked": {"q": SpreadRows(-2.05, 0.55, outlier_factor=1), "k": Normal(), "v": Normal()},
            "flat": {"q": Normal("0.25/sqrt(head_dim)"), "k": Normal(), "v": Normal()},
        },
        "4*sqrt(head_dim)",
        q=-1,
        k=-1,
    ),
    reference=sparse_attention,
    tolerance=Tolerance(scale="row", rtol=0.02, atol_scale=0.1),
    flops="4*batch*num_query_heads*seq_len**2*head_dim",
    useful_flops="2*batch*num_query_heads*seq_len*(seq_len+1)*head_dim",
)


def flex_attention(
    q: Float[Array, "batch num_heads seq_len head_dim"],
    k: Float[Array, "batch num_heads seq_len head_dim"],
    v: Float[Array, "batch num_heads seq_len head_dim"],
    rel_pos_bias: Float[Array, "num_heads seq_len seq_len"],
) -> Float[Array, "batch num_heads seq_len head_dim"]:
    """Returns causal attention with a bias per head, query and key position added to the scaled scores."""
    scores = jnp.matmul(q, k.swapaxes(2, 3)) * q.shape[-1] ** -0.5 + rel_pos_bias
    visible = jnp.tri(q.shape[-2], dtype=bool)
    weights = jax.nn.softmax(jnp.where(visible, scores, -1e30), axis=-1)
    return jnp.matmul(weights, v)


FLEX_ATTENTION = Workload(
    id="5p_Flex_Attention",
    version=1,
    title="Causal attention with a relative-position bias per head (flex attention)",
    tier="production",
    family="attention",
    model="Llama-3.1-70B",
    semantics="S[b,h,i,j] = (sum_d q[b,h,i,d] * k[b,h,j,d]) / sqrt(head_dim) + rel_pos_bias[h,i,j], "
    "and -1e30 where j > i; P = softmax of S over j; out[b,h,i,d] = sum_j P[b,h,i,j] * v[b,h,j,d].",
    sizes=sizes(
        full={"batch": 4, "num_heads": 64, "seq_len": 4096, "head_dim": 128},
        check={"batch": 2, "num_heads": 2, "seq_len": 256, "head_dim": 128},
        check_odd={"batch": 1, "num_heads": 3, "seq_len": 384, "head_dim": 128},
    ),
    inputs=(
        InputSpec("q", _HEADS, meaning="queries by batch, head, position"),
        InputSpec("k", _HEADS, meaning="keys, one head per query head"),
        InputSpec("v", _HEADS, meaning="values, one head per query head"),
        InputSpec(
            "rel_pos_bias",
            ("num_heads", "seq_len", "seq_len"),
            role="bias",
            meaning="added to the scores, by head, query position, key position",
        ),
    ),
    output=OutputSpec(_HEADS),
    distributions=with_cancelling(
        {
            "standard": {"q": Normal(1.5), "k": Normal(), "v": Normal(), "rel_pos_bias": Normal(1.5)},
            # Bias of the hidden positions would dominate whatever it reaches.
            "future": {"q": Normal(1.5), "k": Normal(), "v": Normal(), "rel_pos_bias": BiasWithFuture(1.5)},
            # See FLASH_ATTENTION.
            "peaked": {
                "q": SpreadRows(-1, 1.6, outlier_factor=1),
                "k": Normal(),
                "v": Normal(),
                "rel_pos_bias": Normal(3),
            },
            "flat": {"q": Normal(0.25), "k": Normal(), "v": Normal(), "rel_pos_bias": Normal(0.25)},
        },
        "4*sqrt(head_dim)",
        q=-1,
        k=-1,
    ),
    reference=flex_attention,
    tolerance=Tolerance(scale="row", rtol=0.02, atol_scale=0.1),
    flops="4*batch*num_heads*seq_len**2*head_dim",
    useful_flops="2*batch*num_heads*seq_len*(seq_len+1)*head_dim",
    # The bias of the hidden positions is not read.
    useful_bytes="min_bytes - num_heads*seq_len*(seq_len-1)",
)
