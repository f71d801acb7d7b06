"""Triangle workloads on pair representations."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from jaxbench_harness.input_distributions import Distribution, Normal, OutlierElements
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.workload import InputSpec, OutputSpec, Workload, sizes
from jaxbench_workloads.input_distributions import PairMask


def triangle_multiplication(
    pair_act: Float[Array, "N N C"],
    mask: Float[Array, "N N 1"],
    left_proj_w: Float[Array, "C C"],
    right_proj_w: Float[Array, "C C"],
    left_gate_w: Float[Array, "C C"],
    right_gate_w: Float[Array, "C C"],
    center_scale: Float[Array, " C"],
    out_proj_w: Float[Array, "C C"],
    out_gate_w: Float[Array, "C C"],
    *,
    epsilon: float,
) -> Float[Array, "N N C"]:
    """Returns the triangle update of a pair representation along outgoing edges.

    Gated projections of the masked pairs (i, k) and (j, k) meet in a sum over k; its RMS norm over the channels is
    projected and gated by the pairs without mask. Every step is in the dtype of `pair_act`.

    Args:
        pair_act: Pair representation.
        mask: Factor of each pair.
        left_proj_w: Weights (in, out) of the pairs (i, k).
        right_proj_w: Weights (in, out) of the pairs (j, k).
        left_gate_w: Weights (in, out) of their gate.
        right_gate_w: Weights (in, out) of their gate.
        center_scale: Gain of the norm per channel.
        out_proj_w: Weights (in, out) of the output.
        out_gate_w: Weights (in, out) of the output's gate.
        epsilon: Added to the mean square.
    """
    masked = pair_act * mask
    left = jnp.dot(masked, left_proj_w) * jax.nn.sigmoid(jnp.dot(masked, left_gate_w))
    right = jnp.dot(masked, right_proj_w) * jax.nn.sigmoid(jnp.dot(masked, right_gate_w))
    update = jnp.einsum("ikc,jkc->ijc", left, right)
    mean_square = jnp.mean(update * update, axis=-1, keepdims=True)
    normalized = update / jnp.sqrt(mean_square + epsilon) * center_scale
    return jnp.dot(normalized, out_proj_w) * jax.nn.sigmoid(jnp.dot(pair_act, out_gate_w))


def _inputs(pair_act: Distribution, mask: Distribution, gate_scale: float = 1.5) -> dict[str, Distribution]:
    projection, gate = Normal("1/sqrt(C)"), Normal(f"{gate_scale:g}/sqrt(C)")
    return {
        "pair_act": pair_act,
        "mask": mask,
        "left_proj_w": projection,
        "right_proj_w": projection,
        "left_gate_w": gate,
        "right_gate_w": gate,
        "center_scale": Normal(0.3, mean=1),
        "out_proj_w": projection,
        "out_gate_w": gate,
    }


_PAIRS, _MATRIX = ("N", "N", "C"), ("C", "C")

TRIANGLE_MULTIPLICATION = Workload(
    id="17p_Triangle_Multiplication",
    version=1,
    title="Gated triangle multiplication along outgoing edges",
    tier="production",
    family="triangle",
    model="AlphaFold2",
    semantics="a = pair_act * mask; L = (a @ left_proj_w) * sigmoid(a @ left_gate_w); "
    "R = (a @ right_proj_w) * sigmoid(a @ right_gate_w); t[i,j,c] = sum_k L[i,k,c] * R[j,k,c]; "
    "u = t / sqrt(mean of t^2 over c + epsilon) * center_scale; "
    "out = (u @ out_proj_w) * sigmoid(pair_act @ out_gate_w), with pair_act not masked.",
    sizes=sizes(
        full={"N": 1536, "C": 128, "epsilon": 1e-6},
        check={"N": 128, "C": 128, "epsilon": 1e-6},
        check_odd={"N": 136, "C": 64, "epsilon": 1e-6},
    ),
    inputs=(
        InputSpec("pair_act", _PAIRS, meaning="pair representation (i, j, channel)"),
        InputSpec("mask", ("N", "N", 1), meaning="factor of each pair, 0 or 1"),
        InputSpec("left_proj_w", _MATRIX, role="weight", meaning="weights (in, out)"),
        InputSpec("right_proj_w", _MATRIX, role="weight", meaning="weights (in, out)"),
        InputSpec("left_gate_w", _MATRIX, role="weight", meaning="weights (in, out)"),
        InputSpec("right_gate_w", _MATRIX, role="weight", meaning="weights (in, out)"),
        InputSpec("center_scale", ("C",), role="weight", meaning="gain of the norm per channel"),
        InputSpec("out_proj_w", _MATRIX, role="weight", meaning="weights (in, out)"),
        InputSpec("out_gate_w", _MATRIX, role="weight", meaning="weights (in, out)"),
    ),
    output=OutputSpec(_PAIRS),
    distributions={
        "standard": _inputs(Normal(), PairMask()),
        "sparse": _inputs(OutlierElements(), PairMask(0.1), gate_scale=3),
        # The mean square is about epsilon: a kernel without epsilon is far off.
        "tiny": _inputs(Normal("2*(epsilon/N)**0.25"), PairMask(), gate_scale=40),
    },
    reference=triangle_multiplication,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops="2*N**3*C + 12*N**2*C**2",
    # The mask leaves three quarters of the pairs in the first N-N//16 rows and columns, and so nine sixteenths of the
    # products there; outside, the output is 0.
    useful_flops="9*(N-N//16)**3*C//8 + 10*(N-N//16)**2*C**2",
    useful_bytes="min_bytes - 2*C*(N**2 - (N-N//16)**2)",
)
