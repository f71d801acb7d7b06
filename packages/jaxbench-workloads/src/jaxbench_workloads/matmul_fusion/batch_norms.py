"""Matrix multiplications fused with a batch normalization."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from jaxbench_harness.input_distributions import Normal, Uniform, with_cancelling
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.workload import InputSpec, Workload, sizes
from jaxbench_workloads.layers import fixed_batch_norm, standardize
from jaxbench_workloads.matmul_fusion.inputs import (
    BATCH_NORM,
    OUTPUT,
    WEIGHT,
    ScaledFeatures,
    X,
    linear_sizes,
    per_feature,
    with_activations,
)

_GEMM_WEIGHT = InputSpec("gemm_weight", ("out_features", "in_features"), role="weight", meaning="weights (out, in)")
_GEMM_BIAS = per_feature("gemm_bias", "one per output feature")
_GROUP_NORM = (
    per_feature("gn_weight", "gain of the group norm", role="weight"),
    per_feature("gn_bias", "shift of the group norm"),
)
_GAIN, _SHIFT = Normal(0.3, mean=1), Normal(0.5)


def gemm_batch_norm_gelu_relu(
    x: Float[Array, "batch_size in_features"],
    gemm_weight: Float[Array, "out_features in_features"],
    gemm_bias: Float[Array, " out_features"],
    bn_weight: Float[Array, " out_features"],
    bn_bias: Float[Array, " out_features"],
    *,
    eps: float,
) -> Float[Array, "batch_size out_features"]:
    """Returns `max(gelu(y), 0)`, `y` being `x @ gemm_weight.T + gemm_bias` normalized per feature over the batch."""
    z = jnp.dot(x, gemm_weight.T) + gemm_bias
    y = standardize(z, 0, eps) * bn_weight + bn_bias
    return jax.nn.relu(jax.nn.gelu(y, approximate=True))


GEMM_BATCH_NORM_GELU_RELU = Workload(
    id="31k_Gemm_BatchNorm_GELU_ReLU",
    version=1,
    title="Linear, batch norm of training, GELU, ReLU",
    tier="kernelbench",
    family="matmul_fusion",
    semantics="z = x @ gemm_weight^T + gemm_bias; y = (z - mean)/sqrt(variance + eps)*bn_weight + bn_bias, mean and "
    "population variance per feature over the batch; out = max(0.5*y*(1 + tanh(sqrt(2/pi)*(y + 0.044715*y^3))), 0).",
    sizes=sizes(
        full={"batch_size": 16384, "in_features": 8192, "out_features": 8192, "eps": 1e-5},
        check={"batch_size": 512, "in_features": 512, "out_features": 512, "eps": 1e-5},
        check_odd={"batch_size": 136, "in_features": 640, "out_features": 896, "eps": 1e-5},
    ),
    inputs=(
        X,
        _GEMM_WEIGHT,
        per_feature("gemm_bias", "one per output feature; the batch norm removes it"),
        per_feature("bn_weight", "gain of the batch norm", role="weight"),
        per_feature("bn_bias", "shift of the batch norm"),
    ),
    output=OUTPUT,
    distributions=with_cancelling(
        with_activations(
            gemm_weight=ScaledFeatures("1/sqrt(in_features)"), gemm_bias=Normal(0.5), bn_weight=_GAIN, bn_bias=_SHIFT
        )
        # Variances around eps.
        | {
            "tiny": {
                "x": Normal("sqrt(eps)"),
                "gemm_weight": ScaledFeatures("1/sqrt(in_features)"),
                "gemm_bias": Normal("0.5*sqrt(eps)"),
                "bn_weight": _GAIN,
                "bn_bias": _SHIFT,
            }
        },
        "4*sqrt(in_features)",
        x=1,
        gemm_weight=1,
    ),
    reference=gemm_batch_norm_gelu_relu,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops="2*batch_size*in_features*out_features",
    useful_bytes="min_bytes - 2*out_features",  # the batch norm removes gemm_bias
)


def matmul_batch_norm_bias_add_divide_swish(
    x: Float[Array, "batch_size in_features"],
    weight: Float[Array, "in_features out_features"],
    linear_bias: Float[Array, " out_features"],
    bn_scale: Float[Array, " out_features"],
    bn_bias: Float[Array, " out_features"],
    bn_mean: Float[Array, " out_features"],
    bn_var: Float[Array, " out_features"],
    bias: Float[Array, "1"],
    *,
    bn_eps: float,
    divide_value: float,
) -> Float[Array, "batch_size out_features"]:
    """Returns `swish((y + bias) / divide_value)`, `y` being the batch-normalized `x @ weight + linear_bias`."""
    z = jnp.dot(x, weight) + linear_bias
    y = fixed_batch_norm(z, bn_scale, bn_bias, bn_mean, bn_var, bn_eps)
    return jax.nn.silu((y + bias) / divide_value)


MATMUL_BATCH_NORM_BIAS_ADD_DIVIDE_SWISH = Workload(
    id="48k_Matmul_BatchNorm_BiasAdd_Divide_Swish",
    version=1,
    title="Linear, batch norm at inference, scalar bias, division, Swish",
    tier="kernelbench",
    family="matmul_fusion",
    semantics="z = x @ weight + linear_bias; y = bn_scale*(z - bn_mean)/sqrt(bn_var + bn_eps) + bn_bias; "
    "y = (y + bias) / divide_value; out = y * sigmoid(y).",
    sizes=linear_sizes(bn_eps=1e-5, divide_value=1.0),
    inputs=(
        X,
        WEIGHT,
        per_feature("linear_bias", "one per output feature of the linear layer"),
        *BATCH_NORM,
        InputSpec("bias", (1,), role="bias", meaning="added to every element"),
    ),
    output=OUTPUT,
    distributions=with_cancelling(
        with_activations(
            weight=Normal("1/sqrt(in_features)"),
            linear_bias=Normal(0.5),
            bn_scale=_GAIN,
            bn_bias=_SHIFT,
            bn_mean=Normal(0.5),
            bn_var=Uniform(0.5, 2),
            bias=Uniform(-1, 1),
        )
        # Running variances near epsilon: a kernel without epsilon is off by up to sqrt(3).
        | {
            "tiny": {
                "x": Normal("sqrt(bn_eps)"),
                "weight": Normal("1/sqrt(in_features)"),
                "linear_bias": Normal("0.5*sqrt(bn_eps)"),
                "bn_scale": _GAIN,
                "bn_bias": _SHIFT,
                "bn_mean": Normal("0.5*sqrt(bn_eps)"),
                "bn_var": Uniform("0.5*bn_eps", "2*bn_eps"),
                "bias": Uniform(-1, 1),
            }
        },
        "4*sqrt(in_features)",
        x=1,
        weight=0,
    ),
    reference=matmul_batch_norm_bias_add_divide_swish,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops="2*batch_size*in_features*out_features",
)
