"""Matrix multiplications fused with a softmax over the features of each row."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from jaxbench_harness.input_distributions import Normal, OutlierElements, SpreadRows, Uniform, with_cancelling
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.workload import InputSpec, Workload, sizes
from jaxbench_workloads.layers import fixed_batch_norm
from jaxbench_workloads.matmul_fusion.inputs import (
    BATCH_NORM,
    BIAS,
    OUTPUT,
    WEIGHT,
    WEIGHT_OUT_IN,
    X,
    linear_sizes,
    with_activations,
)


def matmul_dropout_softmax(
    x: Float[Array, "batch_size in_features"],
    weight: Float[Array, "out_features in_features"],
    bias: Float[Array, " out_features"],
) -> Float[Array, "batch_size out_features"]:
    """Returns the softmax over the features of `x @ weight.T + bias`; at inference there is no dropout."""
    return jax.nn.softmax(jnp.dot(x, weight.T) + bias, axis=-1)


MATMUL_DROPOUT_SOFTMAX = Workload(
    id="38k_Matmul_Dropout_Softmax",
    version=1,
    title="Linear, dropout at inference, row softmax",
    tier="kernelbench",
    family="matmul_fusion",
    semantics="z = x @ weight^T + bias; out = softmax of z over the output features. Dropout is the identity.",
    sizes=linear_sizes(),
    inputs=(X, WEIGHT_OUT_IN, BIAS),
    output=OUTPUT,
    distributions=with_cancelling(
        with_activations(weight=Normal("1.2/sqrt(in_features)"), bias=Normal(0.5))
        # From flat rows to values far above 88, where exp overflows float32 unless the row maximum is subtracted.
        | {
            "peaked": {
                "x": SpreadRows(-1, 1.5, outlier_factor=1),
                "weight": Normal("1.2/sqrt(in_features)"),
                "bias": Normal(0.5),
            }
        },
        "4*sqrt(in_features)",
        x=1,
        weight=1,
    ),
    reference=matmul_dropout_softmax,
    tolerance=Tolerance(scale="mean_abs", rtol=0.02, atol_scale=0.1),
    flops="2*batch_size*in_features*out_features",
)


def gemm_batch_norm_scaling_softmax(
    x: Float[Array, "batch_size in_features"],
    weight: Float[Array, "in_features out_features"],
    bias: Float[Array, " out_features"],
    bn_scale: Float[Array, " out_features"],
    bn_bias: Float[Array, " out_features"],
    bn_mean: Float[Array, " out_features"],
    bn_var: Float[Array, " out_features"],
    scale: Float[Array, "1"],
    *,
    bn_eps: float,
) -> Float[Array, "batch_size out_features"]:
    """Returns the softmax over the features of the scaled, batch-normalized `x @ weight + bias`."""
    y = fixed_batch_norm(jnp.dot(x, weight) + bias, bn_scale, bn_bias, bn_mean, bn_var, bn_eps)
    return jax.nn.softmax(scale * y, axis=-1)


GEMM_BATCH_NORM_SCALING_SOFTMAX = Workload(
    id="43k_Gemm_BatchNorm_Scaling_Softmax",
    version=1,
    title="Linear, batch norm at inference, scaling, row softmax",
    tier="kernelbench",
    family="matmul_fusion",
    semantics="z = x @ weight + bias; y = bn_scale*(z - bn_mean)/sqrt(bn_var + bn_eps) + bn_bias; "
    "out = softmax of scale*y over the output features.",
    sizes=linear_sizes(bn_eps=1e-5),
    inputs=(X, WEIGHT, BIAS, *BATCH_NORM, InputSpec("scale", (1,), role="weight", meaning="factor of all logits")),
    output=OUTPUT,
    distributions=with_cancelling(
        {
            name: {
                "x": x,
                "weight": Normal("0.7/sqrt(in_features)"),
                "bias": bias,
                "bn_scale": Normal(0.3, mean=1),
                "bn_bias": bn_bias,
                "bn_mean": bn_mean,
                "bn_var": bn_var,
                "scale": Uniform(0.5, 1),
            }
            for name, (x, bias, bn_bias, bn_mean, bn_var) in {
                "standard": (Normal(), Normal(0.3), Normal(0.3), Normal(0.5), Uniform(0.5, 2)),
                "shifted": (Normal(mean=0.5), Normal(0.3), Normal(0.3), Normal(0.5), Uniform(0.5, 2)),
                # As in 38k: a softmax without the row maximum overflows.
                "peaked": (SpreadRows(-1, 2, outlier_factor=1), Normal(0.6), Normal(0.6), Normal(0.6), Uniform(0.5, 2)),
                # Running variances near epsilon: a kernel without epsilon is off by up to sqrt(3).
                "tiny": (
                    Normal("sqrt(bn_eps)"),
                    Normal("0.3*sqrt(bn_eps)"),
                    Normal(0.3),
                    Normal("0.5*sqrt(bn_eps)"),
                    Uniform("0.5*bn_eps", "2*bn_eps"),
                ),
            }.items()
        },
        "4*sqrt(in_features)",
        x=1,
        weight=0,
    ),
    reference=gemm_batch_norm_scaling_softmax,
    tolerance=Tolerance(scale="mean_abs", rtol=0.02, atol_scale=0.1),
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
    inputs=(X, WEIGHT, BIAS),
    output=OUTPUT,
    distributions=with_cancelling(
        {
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
        "4*sqrt(in_features)",
        x=1,
        weight=0,
    ),
    reference=matmul_gelu_softmax,
    tolerance=Tolerance(scale="mean_abs", rtol=0.02, atol_scale=0.1),
    flops="2*batch_size*in_features*out_features",
)
