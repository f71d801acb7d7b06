"""Feed-forward (MLP) workloads."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from jaxbench_harness.input_distributions import Cancelling, Normal, OutlierElements
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.workload import InputSpec, OutputSpec, Workload, sizes
from jaxbench_workloads.input_distributions import opposed


def swiglu_mlp(
    x: Float[Array, "batch seq_len emb_dim"],
    gate_kernel: Float[Array, "emb_dim mlp_dim"],
    up_kernel: Float[Array, "emb_dim mlp_dim"],
    down_kernel: Float[Array, "mlp_dim emb_dim"],
) -> Float[Array, "batch seq_len emb_dim"]:
    """Returns `(silu(x @ gate_kernel) * (x @ up_kernel)) @ down_kernel`."""
    hidden = jax.nn.silu(jnp.dot(x, gate_kernel)) * jnp.dot(x, up_kernel)
    return jnp.dot(hidden, down_kernel)


SWIGLU_MLP = Workload(
    id="9p_SwiGLU_MLP",
    version=1,
    title="SwiGLU MLP (gate, up, down)",
    tier="production",
    family="mlp",
    model="Llama-3.1-70B",
    semantics="g = x @ gate_kernel; u = x @ up_kernel; h = g * sigmoid(g) * u; out = h @ down_kernel.",
    sizes=sizes(
        full={"batch": 2, "seq_len": 4096, "emb_dim": 8192, "mlp_dim": 28672},
        check={"batch": 2, "seq_len": 128, "emb_dim": 512, "mlp_dim": 1024},
        check_odd={"batch": 3, "seq_len": 40, "emb_dim": 384, "mlp_dim": 896},
    ),
    inputs=(
        InputSpec("x", ("batch", "seq_len", "emb_dim"), meaning="activations by batch, position"),
        InputSpec("gate_kernel", ("emb_dim", "mlp_dim"), role="weight", meaning="weights (in, out)"),
        InputSpec("up_kernel", ("emb_dim", "mlp_dim"), role="weight", meaning="weights (in, out)"),
        InputSpec("down_kernel", ("mlp_dim", "emb_dim"), role="weight", meaning="weights (in, out)"),
    ),
    output=OutputSpec(("batch", "seq_len", "emb_dim")),
    distributions={
        name: {
            "x": x,
            "gate_kernel": Normal("1.5/sqrt(emb_dim)"),
            "up_kernel": Normal("1/sqrt(emb_dim)"),
            "down_kernel": Normal("1/sqrt(mlp_dim)"),
        }
        # `large` saturates the gate; in `small` it is nearly linear and the output far below 1.
        for name, x in {
            "standard": Normal(),
            "large": Normal(8),
            "small": Normal(0.125),
            "outliers": OutlierElements(),
        }.items()
    }
    # Both the terms of a hidden feature and the hidden features themselves cancel.
    | {
        "cancelling": {
            "x": Cancelling(Normal(), 2, 16),
            "gate_kernel": Cancelling(opposed(Normal("1.5/sqrt(emb_dim)"), "emb_dim"), 1),
            "up_kernel": Cancelling(opposed(Normal("1/sqrt(emb_dim)"), "emb_dim"), 1, 16),
            "down_kernel": opposed(Normal("1/sqrt(mlp_dim)"), "mlp_dim"),
        }
    },
    reference=swiglu_mlp,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops="6*batch*seq_len*emb_dim*mlp_dim",
)
