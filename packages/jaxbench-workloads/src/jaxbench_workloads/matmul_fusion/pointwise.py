"""Matrix multiplications fused with operations on single elements."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from jaxbench_harness.input_distributions import Normal, OutlierElements, with_cancelling
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.workload import InputSpec, OutputSpec, Workload, sizes
from jaxbench_workloads.matmul_fusion.inputs import (
    BIAS,
    OUTPUT,
    WEIGHT,
    X,
    linear_sizes,
    per_feature,
    with_activations,
)


def matmul_subtract_multiply_relu(
    x: Float[Array, "batch_size in_features"],
    weight: Float[Array, "in_features out_features"],
    bias: Float[Array, " out_features"],
    *,
    subtract_value: float,
    multiply_value: float,
) -> Float[Array, "batch_size out_features"]:
    """Returns `max((x @ weight + bias - subtract_value) * multiply_value, 0)`."""
    return jax.nn.relu((jnp.dot(x, weight) + bias - subtract_value) * multiply_value)


MATMUL_SUBTRACT_MULTIPLY_RELU = Workload(
    id="19k_Matmul_Subtract_Multiply_ReLU",
    version=1,
    title="Linear, subtraction, scaling, ReLU",
    tier="kernelbench",
    family="matmul_fusion",
    semantics="z = x @ weight + bias; out = max((z - subtract_value) * multiply_value, 0).",
    sizes=linear_sizes(subtract_value=2.0, multiply_value=1.5),
    inputs=(X, WEIGHT, BIAS),
    output=OUTPUT,
    # The bias cancels the subtraction: about half of the outputs are not 0.
    distributions=with_cancelling(
        with_activations(weight=Normal("1/sqrt(in_features)"), bias=Normal(0.5, mean=2)),
        "4*sqrt(in_features)",
        x=1,
        weight=0,
    ),
    reference=matmul_subtract_multiply_relu,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops="2*batch_size*in_features*out_features",
)


def gemm_multiply_leaky_relu(
    x: Float[Array, "batch_size in_features"],
    weight: Float[Array, "in_features out_features"],
    bias: Float[Array, " out_features"],
    *,
    multiplier: float,
    negative_slope: float,
) -> Float[Array, "batch_size out_features"]:
    """Returns the leaky ReLU of `(x @ weight + bias) * multiplier`."""
    return jax.nn.leaky_relu((jnp.dot(x, weight) + bias) * multiplier, negative_slope)


GEMM_MULTIPLY_LEAKY_RELU = Workload(
    id="20k_Gemm_Multiply_LeakyReLU",
    version=1,
    title="Linear, scaling, leaky ReLU",
    tier="kernelbench",
    family="matmul_fusion",
    semantics="y = (x @ weight + bias) * multiplier; out = y where y >= 0, negative_slope * y elsewhere.",
    sizes=linear_sizes(multiplier=2.0, negative_slope=0.1),
    inputs=(X, WEIGHT, BIAS),
    output=OUTPUT,
    distributions=with_cancelling(
        with_activations(weight=Normal("1/sqrt(in_features)"), bias=Normal(0.5))
        # Most outputs are on the small slope.
        | {"negative": {"x": Normal(), "weight": Normal("1/sqrt(in_features)"), "bias": Normal(0.5, mean=-1)}},
        "4*sqrt(in_features)",
        x=1,
        weight=0,
    ),
    reference=gemm_multiply_leaky_relu,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops="2*batch_size*in_features*out_features",
)


def matmul_mish_mish(
    x: Float[Array, "batch_size in_features"],
    weight: Float[Array, "in_features out_features"],
    bias: Float[Array, " out_features"],
) -> Float[Array, "batch_size out_features"]:
    """Returns `mish(mish(x @ weight + bias))`."""
    return jax.nn.mish(jax.nn.mish(jnp.dot(x, weight) + bias))


MATMUL_MISH_MISH = Workload(
    id="27k_Matmul_Mish_Mish",
    version=1,
    title="Linear, Mish, Mish",
    tier="kernelbench",
    family="matmul_fusion",
    semantics="mish(u) = u * tanh(log(1 + exp(u))); out = mish(mish(x @ weight + bias)).",
    sizes=linear_sizes(),
    inputs=(X, WEIGHT, BIAS),
    output=OUTPUT,
    distributions=with_cancelling(
        with_activations(weight=Normal("1/sqrt(in_features)"), bias=Normal(0.5))
        # Values above 88, where exp overflows float32.
        | {"large": {"x": Normal(32), "weight": Normal("1/sqrt(in_features)"), "bias": Normal(16)}},
        "4*sqrt(in_features)",
        x=1,
        weight=0,
    ),
    reference=matmul_mish_mish,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops="2*batch_size*in_features*out_features",
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
    inputs=(X, WEIGHT, BIAS),
    output=OUTPUT,
    distributions=with_cancelling(
        {
            "standard": {"x": Normal(), "weight": Normal("1/sqrt(in_features)"), "bias": Normal(0.5)},
            "shifted": {
                "x": Normal(mean=0.5),
                "weight": Normal("1/sqrt(in_features)"),
                "bias": Normal(0.5, mean=1),
            },
            "outliers": {"x": OutlierElements(), "weight": Normal("1/sqrt(in_features)"), "bias": Normal(0.5)},
        },
        "4*sqrt(in_features)",
        x=1,
        weight=0,
    ),
    reference=matmul_scaling_residual_add,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops="2*batch_size*in_features*out_features",
)


def gemm_scaling_hardtanh_gelu(
    x: Float[Array, "batch_size in_features"],
    weight: Float[Array, "in_features out_features"],
    bias: Float[Array, " out_features"],
    *,
    scaling_factor: float,
    hardtanh_min: float,
    hardtanh_max: float,
) -> Float[Array, "batch_size out_features"]:
    """Returns the GELU (tanh form) of the scaled and clipped `x @ weight + bias`."""
    scaled = (jnp.dot(x, weight) + bias) * scaling_factor
    return jax.nn.gelu(jnp.clip(scaled, hardtanh_min, hardtanh_max), approximate=True)


GEMM_SCALING_HARDTANH_GELU = Workload(
    id="35k_Gemm_Scaling_Hardtanh_GELU",
    version=1,
    title="Linear, scaling, hardtanh, GELU",
    tier="kernelbench",
    family="matmul_fusion",
    semantics="z = x @ weight + bias; y = z * scaling_factor clipped to [hardtanh_min, hardtanh_max]; "
    "out = 0.5*y*(1 + tanh(sqrt(2/pi)*(y + 0.044715*y^3))).",
    sizes=linear_sizes(scaling_factor=0.5, hardtanh_min=-2, hardtanh_max=2),
    inputs=(X, WEIGHT, BIAS),
    output=OUTPUT,
    # About a third of the values are clipped; in `unclipped` hardly any.
    distributions=with_cancelling(
        with_activations(weight=Normal("4/sqrt(in_features)"), bias=Normal())
        | {"unclipped": {"x": Normal(), "weight": Normal("1/sqrt(in_features)"), "bias": Normal(0.5)}},
        "4*sqrt(in_features)",
        x=1,
        weight=0,
    ),
    reference=gemm_scaling_hardtanh_gelu,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops="2*batch_size*in_features*out_features",
)


def matmul_swish_scaling(
    x: Float[Array, "batch_size in_features"],
    weight: Float[Array, "in_features out_features"],
    bias: Float[Array, " out_features"],
    *,
    scaling_factor: float,
) -> Float[Array, "batch_size out_features"]:
    """Returns `swish(x @ weight + bias) * scaling_factor`."""
    return jax.nn.silu(jnp.dot(x, weight) + bias) * scaling_factor


MATMUL_SWISH_SCALING = Workload(
    id="37k_Matmul_Swish_Scaling",
    version=1,
    title="Linear, Swish, scaling",
    tier="kernelbench",
    family="matmul_fusion",
    semantics="z = x @ weight + bias; out = z * sigmoid(z) * scaling_factor.",
    sizes=linear_sizes(scaling_factor=2.0),
    inputs=(X, WEIGHT, BIAS),
    output=OUTPUT,
    distributions=with_cancelling(
        with_activations(weight=Normal("2/sqrt(in_features)"), bias=Normal(0.5))
        # Values beyond -88, where exp(-z) overflows float32.
        | {"large": {"x": Normal(16), "weight": Normal("2/sqrt(in_features)"), "bias": Normal(16)}},
        "4*sqrt(in_features)",
        x=1,
        weight=0,
    ),
    reference=matmul_swish_scaling,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops="2*batch_size*in_features*out_features",
)


def gemm_add_relu(
    x: Float[Array, "batch_size in_features"],
    weight: Float[Array, "in_features out_features"],
    bias: Float[Array, " out_features"],
) -> Float[Array, "batch_size out_features"]:
    """Returns `max(x @ weight + bias, 0)`."""
    return jax.nn.relu(jnp.dot(x, weight) + bias)


GEMM_ADD_RELU = Workload(
    id="41k_Gemm_Add_ReLU",
    version=1,
    title="Linear, ReLU",
    tier="kernelbench",
    family="matmul_fusion",
    semantics="out = max(x @ weight + bias, 0).",
    sizes=linear_sizes(),
    inputs=(X, WEIGHT, BIAS),
    output=OUTPUT,
    distributions=with_cancelling(
        with_activations(weight=Normal("1/sqrt(in_features)"), bias=Normal(0.5)), "4*sqrt(in_features)", x=1, weight=0
    ),
    reference=gemm_add_relu,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops="2*batch_size*in_features*out_features",
)


def matmul_divide_gelu(
    x: Float[Array, "batch_size input_size"],
    weight: Float[Array, "input_size output_size"],
    bias: Float[Array, " output_size"],
    *,
    divisor: float,
) -> Float[Array, "batch_size output_size"]:
    """Returns the GELU (tanh form) of `(x @ weight + bias) / divisor`."""
    return jax.nn.gelu((jnp.dot(x, weight) + bias) / divisor, approximate=True)


MATMUL_DIVIDE_GELU = Workload(
    id="44k_Matmul_Divide_GELU",
    version=1,
    title="Linear, division, GELU",
    tier="kernelbench",
    family="matmul_fusion",
    semantics="y = (x @ weight + bias) / divisor; out = 0.5*y*(1 + tanh(sqrt(2/pi)*(y + 0.044715*y^3))).",
    sizes=linear_sizes("input_size", "output_size", divisor=10.0),
    inputs=(
        InputSpec("x", ("batch_size", "input_size"), meaning="activations"),
        InputSpec("weight", ("input_size", "output_size"), role="weight", meaning="weights (in, out)"),
        InputSpec("bias", ("output_size",), role="bias", meaning="one per output feature"),
    ),
    output=OutputSpec(("batch_size", "output_size")),
    distributions=with_cancelling(
        with_activations(weight=Normal("10/sqrt(input_size)"), bias=Normal(5))
        # Values up to several thousand before the division, whose cube is large.
        | {"large": {"x": Normal(32), "weight": Normal("10/sqrt(input_size)"), "bias": Normal(160)}},
        "4*sqrt(input_size)",
        x=1,
        weight=0,
    ),
    reference=matmul_divide_gelu,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops="2*batch_size*input_size*output_size",
)


def matmul_add_swish_tanh_gelu_hardtanh(
    x: Float[Array, "batch_size in_features"],
    weight: Float[Array, "in_features out_features"],
    bias: Float[Array, " out_features"],
    add_value: Float[Array, " out_features"],
) -> Float[Array, "batch_size out_features"]:
    """Returns `clip(gelu(tanh(swish(x @ weight + bias + add_value))), -1, 1)`, with the tanh form of GELU."""
    bounded = jnp.tanh(jax.nn.silu(jnp.dot(x, weight) + bias + add_value))
    return jnp.clip(jax.nn.gelu(bounded, approximate=True), -1, 1)


MATMUL_ADD_SWISH_TANH_GELU_HARDTANH = Workload(
    id="47k_Matmul_Add_Swish_Tanh_GELU_Hardtanh",
    version=1,
    title="Linear, vector addition, Swish, tanh, GELU, hardtanh",
    tier="kernelbench",
    family="matmul_fusion",
    semantics="a = x @ weight + bias + add_value; h = tanh(a * sigmoid(a)); "
    "g = 0.5*h*(1 + tanh(sqrt(2/pi)*(h + 0.044715*h^3))); out = g clipped to [-1, 1].",
    sizes=linear_sizes(),
    inputs=(X, WEIGHT, BIAS, per_feature("add_value", "added to the bias, one per output feature")),
    output=OUTPUT,
    distributions=with_cancelling(
        with_activations(weight=Normal("1.5/sqrt(in_features)"), bias=Normal(0.5), add_value=Normal(0.5))
        # Values beyond -88, where exp(-a) overflows float32.
        | {
            "large": {
                "x": Normal(16),
                "weight": Normal("1.5/sqrt(in_features)"),
                "bias": Normal(8),
                "add_value": Normal(8),
            }
        },
        "4*sqrt(in_features)",
        x=1,
        weight=0,
    ),
    reference=matmul_add_swish_tanh_gelu_hardtanh,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops="2*batch_size*in_features*out_features",
)
