"""Matrix multiplications fused with a group or instance normalization."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from jaxbench_harness.input_distributions import Normal, with_cancelling
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.workload import InputSpec, OutputSpec, Workload, sizes
from jaxbench_workloads.layers import standardize, standardize_groups
from jaxbench_workloads.matmul_fusion.inputs import (
    OUTPUT,
    WEIGHT,
    WEIGHT_OUT_IN,
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


def bmm_instance_norm_sum_residual_add_multiply(
    x: Float[Array, "batch_size in_features"],
    y: Float[Array, "batch_size out_features"],
    bmm_weight: Float[Array, "out_features in_features"],
    bmm_bias: Float[Array, " out_features"],
    in_weight: Float[Array, " out_features"],
    in_bias: Float[Array, " out_features"],
    *,
    eps: float,
) -> Float[Array, "batch_size out_features"]:
    """Returns `(n + y) * y`, `n` being `x @ bmm_weight.T + bmm_bias` normalized per row over its features.

    Version 1 normalized each element over axes of size 1, which left `in_bias` and nothing of the product.
    """
    z = jnp.dot(x, bmm_weight.T) + bmm_bias
    normalized = standardize(z, -1, eps) * in_weight + in_bias
    return (normalized + y) * y


BMM_INSTANCE_NORM_SUM_RESIDUAL_ADD_MULTIPLY = Workload(
    id="26k_BMM_InstanceNorm_Sum_ResidualAdd_Multiply",
    version=2,
    title="Linear, normalization of each row, residual addition, multiplication",
    tier="kernelbench",
    family="matmul_fusion",
    semantics="z = x @ bmm_weight^T + bmm_bias; n = (z - mean)/sqrt(variance + eps)*in_weight + in_bias, mean and "
    "population variance of the row over the output features; out = (n + y) * y.",
    sizes=linear_sizes(eps=1e-5),
    inputs=(
        X,
        InputSpec("y", ("batch_size", "out_features"), meaning="residual and multiplier"),
        InputSpec("bmm_weight", ("out_features", "in_features"), role="weight", meaning="weights (out, in)"),
        per_feature("bmm_bias", "one per output feature"),
        per_feature("in_weight", "gain of the normalization", role="weight"),
        per_feature("in_bias", "shift of the normalization"),
    ),
    output=OUTPUT,
    distributions=with_cancelling(
        with_activations(
            y=Normal(),
            bmm_weight=Normal("1/sqrt(in_features)"),
            bmm_bias=Normal(0.5, mean=1),
            in_weight=_GAIN,
            in_bias=_SHIFT,
        )
        # The variance is near eps: a kernel without it is off by sqrt(2).
        | {
            "tiny": {
                "x": Normal("sqrt(eps)"),
                "y": Normal(),
                "bmm_weight": Normal("1/sqrt(in_features)"),
                "bmm_bias": Normal("0.5*sqrt(eps)"),
                "in_weight": _GAIN,
                "in_bias": _SHIFT,
            }
        },
        "4*sqrt(in_features)",
        x=1,
        bmm_weight=1,
    ),
    reference=bmm_instance_norm_sum_residual_add_multiply,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops="2*batch_size*in_features*out_features",
)


def matmul_swish_sum_group_norm(
    x: Float[Array, "batch_size in_features"],
    weight: Float[Array, "in_features out_features"],
    bias: Float[Array, " out_features"],
    gn_weight: Float[Array, " out_features"],
    gn_bias: Float[Array, " out_features"],
    *,
    num_groups: int,
    eps: float,
) -> Float[Array, "batch_size out_features"]:
    """Returns the group normalization of `swish(x @ weight) + bias`."""
    activated = jax.nn.silu(jnp.dot(x, weight)) + bias
    return standardize_groups(activated, num_groups, eps) * gn_weight + gn_bias


MATMUL_SWISH_SUM_GROUP_NORM = Workload(
    id="29k_Matmul_Swish_Sum_GroupNorm",
    version=1,
    title="Matrix multiplication, Swish, bias, group norm",
    tier="kernelbench",
    family="matmul_fusion",
    semantics="z = x @ weight; s = z * sigmoid(z) + bias; out = (s - mean)/sqrt(variance + eps)*gn_weight + gn_bias, "
    "mean and population variance per row and group of out_features/num_groups consecutive features.",
    sizes=sizes(
        full={"batch_size": 8192, "in_features": 4096, "out_features": 4096, "num_groups": 64, "eps": 1e-5},
        check={"batch_size": 256, "in_features": 512, "out_features": 1024, "num_groups": 16, "eps": 1e-5},
        check_odd={"batch_size": 136, "in_features": 640, "out_features": 896, "num_groups": 14, "eps": 1e-5},
    ),
    inputs=(X, WEIGHT, per_feature("bias", "added after the Swish"), *_GROUP_NORM),
    output=OUTPUT,
    distributions=with_cancelling(
        with_activations(weight=Normal("1.5/sqrt(in_features)"), bias=Normal(0.5), gn_weight=_GAIN, gn_bias=_SHIFT)
        | {
            name: {
                "x": x,
                "weight": Normal("1.5/sqrt(in_features)"),
                "bias": bias,
                "gn_weight": _GAIN,
                "gn_bias": _SHIFT,
            }
            for name, (x, bias) in {
                # The variance is near eps.
                "tiny": (Normal("sqrt(eps)"), Normal("0.5*sqrt(eps)")),
                # The mean of a group is far larger than its spread: statistics in bfloat16 are far off.
                "offset": (Normal(), Normal(0.5, mean=8)),
            }.items()
        },
        "4*sqrt(in_features)",
        x=1,
        weight=0,
    ),
    reference=matmul_swish_sum_group_norm,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops="2*batch_size*in_features*out_features",
)


def gemm_group_norm_min_bias_add(
    x: Float[Array, "batch_size in_features"],
    weight: Float[Array, "out_features in_features"],
    linear_bias: Float[Array, " out_features"],
    gn_weight: Float[Array, " out_features"],
    gn_bias: Float[Array, " out_features"],
    bias: Float[Array, "1 out_features 1 1"],
    *,
    num_groups: int,
    eps: float,
) -> Float[Array, "1 out_features batch_size 1"]:
    """Returns `bias` plus the minimum of each row of the group-normalized `x @ weight.T + linear_bias`."""
    z = jnp.dot(x, weight.T) + linear_bias
    normalized = standardize_groups(z, num_groups, eps) * gn_weight + gn_bias
    return jnp.min(normalized, axis=-1)[:, None] + bias


GEMM_GROUP_NORM_MIN_BIAS_ADD = Workload(
    id="40k_Gemm_GroupNorm_Min_BiasAdd",
    version=1,
    title="Linear, group norm, row minimum, outer sum with a bias",
    tier="kernelbench",
    family="matmul_fusion",
    semantics="z = x @ weight^T + linear_bias; y = (z - mean)/sqrt(variance + eps)*gn_weight + gn_bias, mean and "
    "population variance per row and group of out_features/num_groups consecutive features; "
    "out[0,o,m,0] = minimum of row m of y + bias[0,o,0,0].",
    sizes=sizes(
        full={"batch_size": 4096, "in_features": 8192, "out_features": 8192, "num_groups": 512, "eps": 1e-5},
        check={"batch_size": 256, "in_features": 512, "out_features": 1024, "num_groups": 64, "eps": 1e-5},
        check_odd={"batch_size": 136, "in_features": 640, "out_features": 896, "num_groups": 56, "eps": 1e-5},
    ),
    inputs=(
        X,
        WEIGHT_OUT_IN,
        per_feature("linear_bias", "one per output feature of the linear layer"),
        *_GROUP_NORM,
        InputSpec("bias", (1, "out_features", 1, 1), role="bias", meaning="added to every row minimum"),
    ),
    output=OutputSpec((1, "out_features", "batch_size", 1)),
    distributions=with_cancelling(
        {
            name: {
                "x": x,
                "weight": Normal("1/sqrt(in_features)"),
                "linear_bias": linear_bias,
                "gn_weight": _GAIN,
                "gn_bias": Normal(0.5, mean=gn_bias_mean),
                "bias": Normal(0.5),
            }
            for name, (x, linear_bias, gn_bias_mean) in {
                "standard": (Normal(), Normal(0.5), 0),
                # Variances around eps.
                "tiny": (Normal("sqrt(eps)"), Normal("0.5*sqrt(eps)"), 0),
                # Every minimum is above 0: one that starts from 0 is wrong.
                "positive": (Normal(), Normal(0.5), 8),
            }.items()
        },
        "4*sqrt(in_features)",
        x=1,
        weight=1,
    ),
    reference=gemm_group_norm_min_bias_add,
    tolerance=Tolerance(scale="std", rtol=0.01, atol_scale=0.05),
    flops="2*batch_size*in_features*out_features",
)


def gemm_group_norm_swish_multiply_swish(
    x: Float[Array, "batch_size in_features"],
    gemm_weight: Float[Array, "out_features in_features"],
    gemm_bias: Float[Array, " out_features"],
    gn_weight: Float[Array, " out_features"],
    gn_bias: Float[Array, " out_features"],
    multiply_weight: Float[Array, " out_features"],
    *,
    num_groups: int,
    eps: float,
) -> Float[Array, "batch_size out_features"]:
    """Returns `swish(swish(y) * multiply_weight)`, `y` being the group-normalized `x @ gemm_weight.T + gemm_bias`."""
    z = jnp.dot(x, gemm_weight.T) + gemm_bias
    y = standardize_groups(z, num_groups, eps) * gn_weight + gn_bias
    return jax.nn.silu(jax.nn.silu(y) * multiply_weight)


GEMM_GROUP_NORM_SWISH_MULTIPLY_SWISH = Workload(
    id="45k_Gemm_GroupNorm_Swish_Multiply_Swish",
    version=1,
    title="Linear, group norm, Swish, multiplication, Swish",
    tier="kernelbench",
    family="matmul_fusion",
    semantics="z = x @ gemm_weight^T + gemm_bias; y = (z - mean)/sqrt(variance + eps)*gn_weight + gn_bias, mean and "
    "population variance per row and group of out_features/num_groups consecutive features; "
    "q = y * sigmoid(y) * multiply_weight; out = q * sigmoid(q).",
    sizes=sizes(
        full={"batch_size": 4096, "in_features": 8192, "out_features": 8192, "num_groups": 256, "eps": 1e-5},
        check={"batch_size": 256, "in_features": 512, "out_features": 1024, "num_groups": 32, "eps": 1e-5},
        check_odd={"batch_size": 136, "in_features": 640, "out_features": 896, "num_groups": 28, "eps": 1e-5},
    ),
    inputs=(
        X,
        _GEMM_WEIGHT,
        _GEMM_BIAS,
        *_GROUP_NORM,
        per_feature("multiply_weight", "factor between the two Swishes", role="weight"),
    ),
    output=OUTPUT,
    distributions=with_cancelling(
        with_activations(
            gemm_weight=Normal("1/sqrt(in_features)"),
            gemm_bias=Normal(0.5),
            gn_weight=_GAIN,
            gn_bias=_SHIFT,
            multiply_weight=Normal(2),
        )
        # Variances around eps.
        | {
            "tiny": {
                "x": Normal("sqrt(eps)"),
                "gemm_weight": Normal("1/sqrt(in_features)"),
                "gemm_bias": Normal("0.5*sqrt(eps)"),
                "gn_weight": _GAIN,
                "gn_bias": _SHIFT,
                "multiply_weight": Normal(2),
            }
        },
        "4*sqrt(in_features)",
        x=1,
        gemm_weight=1,
    ),
    reference=gemm_group_norm_swish_multiply_swish,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops="2*batch_size*in_features*out_features",
)
