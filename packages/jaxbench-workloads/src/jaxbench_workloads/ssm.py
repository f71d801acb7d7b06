"""State-space model workloads."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from jaxbench_harness.input_distributions import Normal
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.workload import InputSpec, OutputSpec, Workload, sizes
from jaxbench_workloads.input_distributions import DecayLogits


def state_space_duality(
    query: Float[Array, "batch num_heads seq_len head_dim"],
    key: Float[Array, "batch num_heads seq_len head_dim"],
    value: Float[Array, "batch num_heads seq_len head_dim"],
    A_log: Float[Array, "batch num_heads seq_len"],  # noqa: N803
) -> Float[Array, "batch num_heads seq_len head_dim"]:
    """Returns a state-space model in its quadratic form: scores times the product of the decays since the key.

    Each row is divided by the magnitude of its sum where that exceeds 1. Decays, scores and sums are float32; the
    weights are rounded to the dtype of `query` before they meet the values.

    Args:
        query: C of the model by batch, head and position.
        key: B of the model, as `query`.
        value: x of the model, as `query`.
        A_log: Logit of the decay at each position.
    """
    since_start = jnp.cumsum(jnp.log(jax.nn.sigmoid(A_log) + 1e-8), axis=-1)
    visible = jnp.tri(query.shape[2], dtype=bool)
    log_decay = jnp.where(visible, since_start[..., :, None] - since_start[..., None, :], -jnp.inf)
    scores = jnp.einsum("bhid,bhjd->bhij", query, key, preferred_element_type=jnp.float32) * jnp.exp(log_decay)
    magnitude = jnp.maximum(jnp.abs(jnp.sum(scores, axis=-1, keepdims=True)), 1)
    return jnp.matmul((scores / magnitude).astype(query.dtype), value)


_HEADS = ("batch", "num_heads", "seq_len", "head_dim")


def _with_decay(decay: DecayLogits) -> dict[str, Normal | DecayLogits]:
    # Scores have a standard deviation of 1, so that row sums on either side of 1 occur.
    return {"query": Normal("1/sqrt(head_dim)"), "key": Normal(), "value": Normal(), "A_log": decay}


MAMBA2_SSD = Workload(
    id="16p_Mamba2_SSD",
    version=1,
    title="Mamba-2 state-space duality, quadratic form with normalized rows",
    tier="production",
    family="ssm",
    model="Mamba-2-2.7B",
    semantics="c[i] = sum over k <= i of log(sigmoid(A_log[k]) + 1e-8); "
    "w[i,j] = (sum_d query[i,d] * key[j,d]) * exp(c[i] - c[j]), and 0 where j > i; s[i] = sum_j w[i,j]; "
    "out[i,d] = sum_j w[i,j] / max(|s[i]|, 1) * value[j,d], for each batch and head. "
    "c, w and s are float32, w / max(|s|, 1) is rounded to the dtype of query.",
    sizes=sizes(
        full={"batch": 4, "num_heads": 64, "seq_len": 4096, "head_dim": 64},
        check={"batch": 1, "num_heads": 8, "seq_len": 256, "head_dim": 64},
        check_odd={"batch": 2, "num_heads": 5, "seq_len": 384, "head_dim": 128},
    ),
    inputs=(
        InputSpec("query", _HEADS, meaning="C by batch, head, position"),
        InputSpec("key", _HEADS, meaning="B by batch, head, position"),
        InputSpec("value", _HEADS, meaning="x by batch, head, position"),
        InputSpec("A_log", ("batch", "num_heads", "seq_len"), "float32", meaning="logit of the decay by position"),
    ),
    output=OutputSpec(_HEADS),
    distributions={
        # Half-lives from one position in the first head to several hundred in the last.
        "standard": _with_decay(DecayLogits()),
        "slow": _with_decay(DecayLogits(low=5, high=9, std=0.5)),
        # As in the public JAXBench: nothing is left after two or three positions.
        "fast": _with_decay(DecayLogits(low=-4, high=0, std=0.5)),
        # Slow decay, but now and then a position at which all that came before is forgotten.
        "resets": _with_decay(DecayLogits(low=4, high=8, resets=1 / 48)),
    },
    reference=state_space_duality,
    tolerance=Tolerance(scale="row", rtol=0.02, atol_scale=0.1),
    flops="4*batch*num_heads*seq_len**2*head_dim",
    # Row sums are linear in the keys, so a recurrence over decayed sums of key * value^T suffices: 4*head_dim**2 per
    # position, less at both ends. In short sequences the quadratic form over the visible keys is cheaper.
    useful_flops="batch*num_heads*head_dim*min(2*seq_len*(seq_len+1), head_dim*(4*seq_len-head_dim))",
)
