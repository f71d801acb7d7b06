"""Mixture-of-experts workloads."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from jaxbench_harness.input_distributions import Constant, Normal, OutlierElements
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.workload import InputSpec, OutputSpec, StaticSpec, Workload, sizes
from jaxbench_workloads.input_distributions import GroupSizes, RoutedTokens, RouterOfTokens


def sparse_moe(
    x: Float[Array, "batch seq_len emb_dim"],
    router_weights: Float[Array, "emb_dim num_experts"],
    expert_gate_kernels: Float[Array, "num_experts emb_dim mlp_dim"],
    expert_up_kernels: Float[Array, "num_experts emb_dim mlp_dim"],
    expert_down_kernels: Float[Array, "num_experts mlp_dim emb_dim"],
    *,
    num_experts_per_tok: int,
) -> Float[Array, "batch seq_len emb_dim"]:
    """Returns the sum of each token's best experts' SwiGLU MLPs, weighted by the softmax of their router logits.

    Evaluates every expert on every token and drops what was not chosen: num_experts / num_experts_per_tok times the
    nominal FLOPs. Router and experts are in the dtype of `x`; the weighted sum and the result are float32.

    Args:
        x: Activations by batch and position.
        router_weights: Router (in, out), one column per expert.
        expert_gate_kernels: Gate weights (expert, in, out).
        expert_up_kernels: Up weights (expert, in, out).
        expert_down_kernels: Down weights (expert, in, out).
        num_experts_per_tok: Experts chosen per token; among equal logits the lower index wins.
    """
    best_logits, chosen = jax.lax.top_k(jnp.dot(x, router_weights), num_experts_per_tok)
    shares = jax.nn.softmax(best_logits, axis=-1).astype(jnp.float32)
    one_hot = jax.nn.one_hot(chosen, router_weights.shape[-1], dtype=jnp.float32)
    expert_shares = jnp.sum(one_hot * shares[..., None], axis=-2)
    gate = jnp.einsum("bsd,edm->bsem", x, expert_gate_kernels)
    hidden = jax.nn.silu(gate) * jnp.einsum("bsd,edm->bsem", x, expert_up_kernels)
    expert_outputs = jnp.einsum("bsem,emd->bsed", hidden, expert_down_kernels)
    return jnp.sum(expert_outputs.astype(jnp.float32) * expert_shares[..., None], axis=-2)


_UP = ("num_experts", "emb_dim", "mlp_dim")

SPARSE_MOE = Workload(
    id="10p_Sparse_MoE",
    version=1,
    title="Sparse mixture of experts (router, top-2 of 8 SwiGLU experts)",
    tier="production",
    family="moe",
    model="Mixtral-8x7B",
    semantics="logits = x @ router_weights; the num_experts_per_tok largest per token are chosen, of equal ones "
    "the lower expert; p = softmax over the chosen logits; y[e] = (silu(x @ gate[e]) * (x @ up[e])) @ down[e]; "
    "out = sum over the chosen experts of p[e] * y[e], in float32. No expert has a capacity limit.",
    sizes=sizes(
        full={
            "batch": 2,
            "seq_len": 4096,
            "emb_dim": 4096,
            "mlp_dim": 14336,
            "num_experts": 8,
            "num_experts_per_tok": 2,
        },
        check={"batch": 2, "seq_len": 64, "emb_dim": 256, "mlp_dim": 512, "num_experts": 8, "num_experts_per_tok": 2},
        check_odd={
            "batch": 3,
            "seq_len": 40,
            "emb_dim": 384,
            "mlp_dim": 320,
            "num_experts": 6,
            "num_experts_per_tok": 3,
        },
    ),
    inputs=(
        InputSpec("x", ("batch", "seq_len", "emb_dim"), meaning="activations by batch, position"),
        InputSpec("router_weights", ("emb_dim", "num_experts"), role="weight", meaning="router (in, expert)"),
        InputSpec("expert_gate_kernels", _UP, role="weight", meaning="weights (expert, in, out)"),
        InputSpec("expert_up_kernels", _UP, role="weight", meaning="weights (expert, in, out)"),
        InputSpec(
            "expert_down_kernels",
            ("num_experts", "mlp_dim", "emb_dim"),
            role="weight",
            meaning="weights (expert, in, out)",
        ),
    ),
    output=OutputSpec(("batch", "seq_len", "emb_dim"), "float32"),
    distributions={
        name: {
            "x": RoutedTokens(skew),
            "router_weights": RouterOfTokens(),
            "expert_gate_kernels": gate,
            "expert_up_kernels": Normal("1/sqrt(emb_dim)"),
            "expert_down_kernels": Normal("1/sqrt(mlp_dim)"),
        }
        for name, skew, gate in (
            ("standard", 1.0, Normal("1.5/sqrt(emb_dim)")),
            ("balanced", 0.0, OutlierElements("1.5/sqrt(emb_dim)")),
            # Nearly all tokens choose the same experts; the others get a token or two.
            ("crowded", 30.0, Normal("1.5/sqrt(emb_dim)")),
        )
    },
    reference=sparse_moe,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops="2*batch*seq_len*emb_dim*num_experts + 6*batch*seq_len*num_experts_per_tok*emb_dim*mlp_dim",
)


def grouped_matmul(
    lhs: Float[Array, "rows emb_dim"],
    rhs: Float[Array, "num_experts emb_dim moe_mlp_dim"],
    group_sizes: Int[Array, " num_experts"],
    max_expert_size: int,
) -> Float[Array, "rows moe_mlp_dim"]:
    """Returns each row of `lhs` times the weights of its group, accumulated in float32; 0 for rows of no group.

    The public JAXBench reference reads wrong rows for groups that start within `max_expert_size` of the end; this
    one has no such limit. It needs no bound on the group sizes either.

    Args:
        lhs: Rows sorted by group.
        rhs: Weights (group, in, out).
        group_sizes: Rows per group, in order from row 0; together at most all rows.
        max_expert_size: Upper bound of the group sizes.
    """
    del max_expert_size
    products = jax.lax.ragged_dot(lhs, rhs, group_sizes, preferred_element_type=jnp.float32)
    grouped = jnp.arange(lhs.shape[0]) < group_sizes.sum()
    return jnp.where(grouped[:, None], products, 0).astype(lhs.dtype)


MEGABLOX_GMM = Workload(
    id="11p_Megablox_GMM",
    version=1,
    title="Grouped matmul over 128 ragged groups (MegaBlox GMM)",
    tier="production",
    family="moe",
    model="Qwen3-235B-A22B",
    semantics="start[g] = sum of group_sizes[:g]; out[r] = lhs[r] @ rhs[g] for start[g] <= r < start[g] + "
    "group_sizes[g], accumulated in float32 and rounded once; out[r] = 0 for rows past the last group.",
    sizes=sizes(
        full={
            "num_experts": 128,
            "num_experts_per_tok": 8,
            "emb_dim": 4096,
            "moe_mlp_dim": 1536,
            "seq_len": 4096,
            "max_expert_size": 1024,
        },
        check={
            "num_experts": 8,
            "num_experts_per_tok": 8,
            "emb_dim": 256,
            "moe_mlp_dim": 384,
            "seq_len": 128,
            "max_expert_size": 512,
        },
        check_odd={
            "num_experts": 6,
            "num_experts_per_tok": 5,
            "emb_dim": 384,
            "moe_mlp_dim": 256,
            "seq_len": 72,
            "max_expert_size": 240,
        },
    ),
    inputs=(
        InputSpec("lhs", ("seq_len*num_experts_per_tok", "emb_dim"), meaning="token rows sorted by expert"),
        InputSpec("rhs", ("num_experts", "emb_dim", "moe_mlp_dim"), role="weight", meaning="weights (expert, in, out)"),
        InputSpec(
            "group_sizes",
            ("num_experts",),
            "int32",
            role="index",
            meaning="rows per expert, at least 0, together at most the rows of lhs",
        ),
        StaticSpec("max_expert_size", "max_expert_size", meaning="upper bound of every group size"),
    ),
    output=OutputSpec(("seq_len*num_experts_per_tok", "moe_mlp_dim")),
    distributions={
        name: {"lhs": lhs, "rhs": Normal("1/sqrt(emb_dim)"), "group_sizes": group_sizes}
        for name, lhs, group_sizes in (
            ("standard", Normal(), GroupSizes()),
            ("skewed", OutlierElements(), GroupSizes(concentration=0.1)),
            # The rows past the last group must come out as 0.
            ("short", Normal(), GroupSizes(used=0.6)),
            ("equal", Normal(mean=0.5), Constant("seq_len*num_experts_per_tok/num_experts")),
        )
    },
    reference=grouped_matmul,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops="2*seq_len*num_experts_per_tok*emb_dim*moe_mlp_dim",
    # A sixteenth of the groups is empty.
    useful_bytes="min_bytes - 2*ceil(num_experts/16)*emb_dim*moe_mlp_dim",
)


def ragged_dot(
    x: Float[Array, "num_groups rows K"], weights: Float[Array, "num_groups K N"]
) -> Float[Array, "num_groups rows N"]:
    """Returns `x[g] @ weights[g]` for every group, accumulated in float32 and rounded once to the dtype of `x`.

    Despite the name nothing is ragged: all groups have the same number of rows.
    """
    return jnp.matmul(x, weights, preferred_element_type=jnp.float32).astype(x.dtype)


RAGGED_DOT = Workload(
    id="14p_Ragged_Dot",
    version=1,
    title="Batched expert matmul (ragged dot with equal groups)",
    tier="production",
    family="moe",
    model="Mixtral-8x7B",
    semantics="out[g,m,n] = sum_k x[g,m,k] * weights[g,k,n], accumulated in float32 and rounded once.",
    sizes=sizes(
        full={"num_groups": 8, "M": 8192, "K": 4096, "N": 14336},
        check={"num_groups": 4, "M": 512, "K": 256, "N": 512},
        check_odd={"num_groups": 3, "M": 408, "K": 384, "N": 640},
    ),
    inputs=(
        InputSpec("x", ("num_groups", "M//num_groups", "K"), meaning="activations by group, row"),
        InputSpec("weights", ("num_groups", "K", "N"), role="weight", meaning="weights (group, in, out)"),
    ),
    output=OutputSpec(("num_groups", "M//num_groups", "N")),
    distributions={
        "standard": {"x": Normal(), "weights": Normal("1/sqrt(K)")},
        "outliers": {"x": OutlierElements(), "weights": OutlierElements("1/sqrt(K)")},
        # Products have mean 2/K: losing a few terms of the sum shifts the whole output.
        "offset": {"x": Normal(mean=1), "weights": Normal("1/sqrt(K)", mean="2/K")},
    },
    reference=ragged_dot,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops="2*M*K*N",
)
