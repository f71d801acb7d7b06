"""Normalization workloads."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from jaxbench_harness.input_distributions import Normal, SpreadRows
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.workload import InputSpec, OutputSpec, Workload, sizes


def rms_norm(
    x: Float[Array, "batch seq_len emb_dim"], scale: Float[Array, " emb_dim"], *, epsilon: float
) -> Float[Array, "batch seq_len emb_dim"]:
    """Returns `x` over its root mean square per position, rounded to the dtype of `x`, then times `scale`.

    Args:
        x: Activations by batch and position.
        scale: Gain per channel.
        epsilon: Added to the mean square.
    """
    x32 = x.astype(jnp.float32)
    inverse_rms = jax.lax.rsqrt(jnp.mean(x32 * x32, axis=-1, keepdims=True) + epsilon)
    return (x32 * inverse_rms).astype(x.dtype) * scale


RMS_NORM = Workload(
    id="12p_RMSNorm",
    version=1,
    title="RMSNorm with scale",
    tier="production",
    family="normalization",
    model="Llama-3.1-70B",
    semantics="n = x / sqrt(mean of x^2 over the last axis + epsilon) in float32, rounded to the dtype of x; "
    "out = n * scale.",
    sizes=sizes(
        full={"batch": 8, "seq_len": 4096, "emb_dim": 8192, "epsilon": 1e-5},
        check={"batch": 2, "seq_len": 128, "emb_dim": 1024, "epsilon": 1e-5},
        check_odd={"batch": 3, "seq_len": 40, "emb_dim": 640, "epsilon": 1e-5},
    ),
    inputs=(
        InputSpec("x", ("batch", "seq_len", "emb_dim"), meaning="activations by batch, position"),
        InputSpec("scale", ("emb_dim",), role="weight", meaning="gain per channel, not 1 + scale"),
    ),
    output=OutputSpec(("batch", "seq_len", "emb_dim")),
    distributions={
        "standard": {"x": SpreadRows(), "scale": Normal(0.3, mean=1)},
        "large": {"x": Normal(1e4), "scale": Normal(0.3, mean=1)},
        # The mean square equals epsilon: a kernel without epsilon is off by sqrt(2).
        "tiny": {"x": Normal("sqrt(epsilon)"), "scale": Normal(0.3, mean=1)},
        # Here the mean matters: a kernel that subtracts it, as layer normalization does, is far off.
        "offset": {"x": Normal(mean=1), "scale": Normal(0.3, mean=1)},
    },
    reference=rms_norm,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    # As published. Per element a square, an addition and two multiplications are needed, on no matrix unit: the compute
    # bound is far too low, which does not matter where HBM binds.
    flops="5*batch*seq_len*emb_dim",
    useful_flops="4*batch*seq_len*emb_dim",
)
