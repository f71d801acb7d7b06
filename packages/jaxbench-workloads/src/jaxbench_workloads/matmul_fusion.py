"""Matrix multiplications fused with what follows them."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from jaxbench_harness.input_distributions import Normal, OutlierElements, SpreadRows
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.workload import InputSpec, OutputSpec, Workload, sizes

_LINEAR_INPUTS = (
    InputSpec("x", ("batch_size", "in_features"), meaning="activations"),
    InputSpec("weight", ("in_features", "out_features"), role="weight", meaning="weights (in, out)"),
    InputSpec("bias", ("out_features",), role="bias", meaning="one per output feature"),
)


def matmul_scaling_residual_add(
    x: Float[Array, "batch_size in_features"],
    weight: Float[Array, "in_features out_features"],
    bias: Float[Array, " out_features"],
    *,
    scaling_factor: float,
) -> Float[Array, "batch_size out_features"]:
    """Returns `scaling_factor * z + z` with `z = x @ weight + bias`."""
    z = jnp.dot(x, weight) + bias
    return z * scaling_factor + z


MATMUL_SCALING_RESIDUAL_ADD = Workload(
    id="30k_Matmul_Scaling_ResidualAdd",
    version=1,
    title="Linear, scaling, residual addition",
    tier="kernelbench",
    family="matmul_fusion",
    semantics="z = x @ weight + bias; out = scaling_factor * z + z.",
    sizes=sizes(
        full={"batch_size": 16384, "in_features": 4096, "out_features": 4096, "scaling_factor": 0.5},
        check={"batch_size": 256, "in_features": 512, "out_features": 1024, "scaling_factor": 0.5},
        check_odd={"batch_size": 136, "in_features": 640, "out_features": 896, "scaling_factor": 0.5},
    ),
    inputs=_LINEAR_INPUTS,
    output=OutputSpec(("batch_size", "out_features")),
    distributions={
        "standard": {"x": Normal(), "weight": Normal("1/sqrt(in_features)"), "bias": Normal(0.5)},
        "shifted": {
            "x": Normal(mean=0.5),
            "weight": Normal("1/sqrt(in_features)"),
            "bias": Normal(0.5, mean=1),
        },
        "outliers": {"x": OutlierElements(), "weight": Normal("1/sqrt(in_features)"), "bias": Normal(0.5)},
    },
    reference=matmul_scaling_residual_add,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops="2*batch_size*in_features*out_features",
)


def matmul_gelu_softmax(
    x: Float[Array, "batch_size in_features"],
    weight: Float[Array, "in_features out_features"],
    bias: Float[Array, " out_features"],
) -> Float[Array, "batch_size out_features"]:
    """Returns the softmax over the features of `gelu(x @ weight + bias)`, with the tanh form of GELU."""
    activated = jax.nn.gelu(jnp.dot(x, weight) + bias, approximate=True)
    return jax.nn.softmax(activated, axis=-1)


MATMUL_GELU_SOFTMAX = Workload(
    id="50k_Matmul_GELU_Softmax",
    version=1,
    title="Linear, GELU, row softmax",
    tier="kernelbench",
    family="matmul_fusion",
    semantics="z = x @ weight + bias; g = 0.5*z*(1 + tanh(sqrt(2/pi)*(z + 0.044715*z^3))); "
    "out = softmax of g over the output features.",
    sizes=sizes(
        full={"batch_size": 4096, "in_features": 8192, "out_features": 8192},
        check={"batch_size": 256, "in_features": 512, "out_features": 1024},
        check_odd={"batch_size": 136, "in_features": 640, "out_features": 896},
    ),
    inputs=_LINEAR_INPUTS,
    output=OutputSpec(("batch_size", "out_features")),
    distributions={
        "standard": {"x": Normal(), "weight": Normal("1.5/sqrt(in_features)"), "bias": Normal(0.5)},
        "shifted": {
            "x": Normal(mean=0.5),
            "weight": Normal("1.5/sqrt(in_features)"),
            "bias": Normal(0.5, mean=1),
        },
        "outliers": {"x": OutlierElements(), "weight": Normal("1.5/sqrt(in_features)"), "bias": Normal(0.5)},
        # From flat rows to values far above 88, where exp overflows float32 unless the row maximum is subtracted.
        "peaked": {
            "x": SpreadRows(-1, 1.4, outlier_factor=1),
            "weight": Normal("1.5/sqrt(in_features)"),
            "bias": Normal(0.5),
        },
    },
    reference=matmul_gelu_softmax,
    tolerance=Tolerance(scale="mean_abs", rtol=0.02, atol_scale=0.1),
    flops="2*batch_size*in_features*out_features",
)
