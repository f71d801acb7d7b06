"""Matrix multiplications fused with a sum, a maximum or a logsumexp over each row."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from jaxbench_harness.input_distributions import Normal, SpreadRows, with_cancelling
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.workload import InputSpec, OutputSpec, Workload, sizes
from jaxbench_workloads.matmul_fusion.inputs import (
    BIAS,
    OUTPUT,
    WEIGHT,
    WEIGHT_OUT_IN,
    SharedComponent,
    X,
    linear_sizes,
    with_activations,
)

_X_INPUT_SIZE = InputSpec("x", ("batch_size", "input_size"), meaning="activations")
_WEIGHT_HIDDEN_INPUT = InputSpec("weight", ("hidden_size", "input_size"), role="weight", meaning="weights (out, in)")
_BIAS_HIDDEN = InputSpec("bias", ("hidden_size",), role="bias", meaning="one per output feature")
_ONE_PER_ROW = OutputSpec(("batch_size", 1))


def gemm_divide_sum_scaling(
    x: Float[Array, "batch_size input_size"],
    weight: Float[Array, "hidden_size input_size"],
    *,
    divisor: float,
    scaling_factor: float,
) -> Float[Array, "batch_size 1"]:
    """Returns the sum over the features of `max((x @ weight.T) / divisor, 0)`, times `scaling_factor`.

    Version 1 had no maximum with 0: the sum of a linear function is the product of `x` with the summed weights, which
    needs no matrix multiplication.
    """
    positive = jax.nn.relu(jnp.dot(x, weight.T) / divisor)
    return jnp.sum(positive, axis=-1, keepdims=True) * scaling_factor


GEMM_DIVIDE_SUM_SCALING = Workload(
    id="21k_Gemm_Divide_Sum_Scaling",
    version=2,
    title="Linear without bias, division, ReLU, row sum, scaling",
    tier="kernelbench",
    family="matmul_fusion",
    semantics="y = max((x @ weight^T) / divisor, 0); out[m,0] = scaling_factor * sum_o y[m,o].",
    sizes=linear_sizes("input_size", "hidden_size", scaling_factor=1.5, divisor=2.0),
    inputs=(_X_INPUT_SIZE, _WEIGHT_HIDDEN_INPUT),
    output=_ONE_PER_ROW,
    distributions=with_cancelling(
        with_activations(weight=SharedComponent("0.7/sqrt(input_size)", "0.7/sqrt(input_size)", 0)),
        "4*sqrt(input_size)",
        x=1,
        weight=1,
    ),
    reference=gemm_divide_sum_scaling,
    tolerance=Tolerance(scale="std", rtol=0.01, atol_scale=0.01),
    flops="2*batch_size*input_size*hidden_size",
)


def matmul_sum_max_avg_pool_log_sum_exp_log_sum_exp(
    x: Float[Array, "batch_size in_features"],
    weight: Float[Array, "out_features in_features"],
    bias: Float[Array, " out_features"],
    *,
    group_size: int,
) -> Float[Array, "batch_size 1"]:
    """Returns `x @ weight.T + bias` reduced by maximum, sum, mean, logsumexp and logsumexp in turn.

    Each but the last reduces groups of `group_size` neighbours; the last reduces what is left. Version 1 summed over
    all features first, so that the other four reduced an axis of size 1 and nothing needed a matrix multiplication.
    The maximum comes first because it is not linear.
    """
    group = (group_size,) * 4
    z = (jnp.dot(x, weight.T) + bias).reshape(x.shape[0], -1, *group)
    pooled = jnp.mean(jnp.sum(jnp.max(z, axis=-1), axis=-1), axis=-1)
    return jax.nn.logsumexp(jax.nn.logsumexp(pooled, axis=-1), axis=-1, keepdims=True)


MATMUL_SUM_MAX_AVG_POOL_LOG_SUM_EXP_LOG_SUM_EXP = Workload(
    id="23k_Matmul_Sum_Max_AvgPool_LogSumExp_LogSumExp",
    version=2,
    title="Linear, maximum, sum, mean and two logsumexp over ever larger groups",
    tier="kernelbench",
    family="matmul_fusion",
    semantics="z = x @ weight^T + bias. Over groups of group_size neighbouring features, each time of what was left: "
    "maximum, then sum, then mean, then logsumexp. out[m,0] = logsumexp of the rest of row m.",
    sizes=sizes(
        full={"batch_size": 4096, "in_features": 8192, "out_features": 8192, "group_size": 4},
        check={"batch_size": 256, "in_features": 512, "out_features": 1024, "group_size": 4},
        check_odd={"batch_size": 136, "in_features": 640, "out_features": 768, "group_size": 4},
    ),
    inputs=(X, WEIGHT_OUT_IN, BIAS),
    output=_ONE_PER_ROW,
    distributions=with_cancelling(
        {
            name: {
                "x": x,
                "weight": SharedComponent("0.7/sqrt(in_features)", "0.7/sqrt(in_features)", 0),
                "bias": bias,
            }
            for name, (x, bias) in {
                "standard": (Normal(), Normal(0.5, mean=0.5)),
                # Most maxima are below 0: one that starts from 0 is wrong.
                "negative": (Normal(), Normal(0.5, mean=-2)),
                # Up to values far above 88, where exp overflows float32 unless the maximum is subtracted.
                "peaked": (SpreadRows(-0.5, 1.5, outlier_factor=1), Normal(10, mean=0.5)),
            }.items()
        },
        "4*sqrt(in_features)",
        x=1,
        weight=1,
    ),
    reference=matmul_sum_max_avg_pool_log_sum_exp_log_sum_exp,
    tolerance=Tolerance(scale="std", rtol=0.01, atol_scale=0.01),
    flops="2*batch_size*in_features*out_features",
)


def matmul_scale_residual_add_clamp_log_sum_exp_mish(
    x: Float[Array, "batch_size input_size"],
    weight: Float[Array, "hidden_size input_size"],
    bias: Float[Array, " hidden_size"],
    *,
    scale_factor: float,
    clamp_min: float,
    clamp_max: float,
) -> Float[Array, "batch_size 1"]:
    """Returns `l * mish(l)`, `l` being the logsumexp of the clipped, doubled and scaled `x @ weight.T + bias`."""
    scaled = (jnp.dot(x, weight.T) + bias) * scale_factor
    clipped = jnp.clip(scaled + scaled, clamp_min, clamp_max)
    summed = jax.nn.logsumexp(clipped, axis=-1, keepdims=True)
    return summed * jax.nn.mish(summed)


MATMUL_SCALE_RESIDUAL_ADD_CLAMP_LOG_SUM_EXP_MISH = Workload(
    id="24k_Matmul_Scale_ResidualAdd_Clamp_LogSumExp_Mish",
    version=1,
    title="Linear, scaling, residual addition, clamp, row logsumexp, times its Mish",
    tier="kernelbench",
    family="matmul_fusion",
    semantics="y = scale_factor * (x @ weight^T + bias); c = y + y clipped to [clamp_min, clamp_max]; "
    "l[m] = logsumexp of c over the features; out[m,0] = l * mish(l), mish(u) = u * tanh(log(1 + exp(u))).",
    sizes=linear_sizes("input_size", "hidden_size", scale_factor=2.0, clamp_min=-10.0, clamp_max=10.0),
    inputs=(_X_INPUT_SIZE, _WEIGHT_HIDDEN_INPUT, _BIAS_HIDDEN),
    output=_ONE_PER_ROW,
    # Rows from all at the lower limit to few there, so that l has either sign.
    distributions=with_cancelling(
        with_activations(
            weight=SharedComponent("0.7/sqrt(input_size)", "0.5/sqrt(input_size)", 0), bias=Normal(0.25, mean=-2.25)
        )
        # Many values are beyond the upper limit.
        | {
            "clipped": {
                "x": Normal(2),
                "weight": SharedComponent("0.7/sqrt(input_size)", "0.5/sqrt(input_size)", 0),
                "bias": Normal(2.5),
            }
        },
        "4*sqrt(input_size)",
        x=1,
        weight=1,
    ),
    reference=matmul_scale_residual_add_clamp_log_sum_exp_mish,
    tolerance=Tolerance(scale="std", rtol=0.01, atol_scale=0.02),
    flops="2*batch_size*input_size*hidden_size",
)


def gemm_sigmoid_log_sum_exp(
    x: Float[Array, "batch_size input_size"],
    w1: Float[Array, "hidden_size input_size"],
    b1: Float[Array, " hidden_size"],
    w2: Float[Array, "output_size hidden_size"],
    b2: Float[Array, " output_size"],
) -> Float[Array, " batch_size"]:
    """Returns the logsumexp over the features of `sigmoid(x @ w1.T + b1) @ w2.T + b2`."""
    hidden = jax.nn.sigmoid(jnp.dot(x, w1.T) + b1)
    return jax.nn.logsumexp(jnp.dot(hidden, w2.T) + b2, axis=-1)


GEMM_SIGMOID_LOG_SUM_EXP = Workload(
    id="32k_Gemm_Sigmoid_LogSumExp",
    version=1,
    title="Linear, sigmoid, linear, row logsumexp",
    tier="kernelbench",
    family="matmul_fusion",
    semantics="h = sigmoid(x @ w1^T + b1); y = h @ w2^T + b2; out[m] = logsumexp over o of y[m,o].",
    sizes=sizes(
        full={"batch_size": 16384, "input_size": 2048, "hidden_size": 4096, "output_size": 1024},
        check={"batch_size": 512, "input_size": 256, "hidden_size": 512, "output_size": 256},
        check_odd={"batch_size": 136, "input_size": 384, "hidden_size": 640, "output_size": 320},
    ),
    inputs=(
        InputSpec("x", ("batch_size", "input_size"), meaning="activations"),
        InputSpec("w1", ("hidden_size", "input_size"), role="weight", meaning="weights (hidden, in)"),
        InputSpec("b1", ("hidden_size",), role="bias", meaning="one per hidden feature"),
        InputSpec("w2", ("output_size", "hidden_size"), role="weight", meaning="weights (out, hidden)"),
        InputSpec("b2", ("output_size",), role="bias", meaning="one per output feature"),
    ),
    output=OutputSpec(("batch_size",)),
    distributions=with_cancelling(
        {
            name: {
                "x": x,
                "w1": Normal("1.5/sqrt(input_size)"),
                "b1": Normal(b1_std),
                "w2": SharedComponent(f"{shared}/sqrt(hidden_size)", f"{own}/sqrt(hidden_size)", 0),
                "b2": Normal(b2_std, mean=-7),
            }
            for name, (x, b1_std, shared, own, b2_std) in {
                "standard": (Normal(), 0.5, 5, 3, 0.5),
                # The sigmoid is 0 or 1.
                "saturated": (Normal(8), 4, 5, 3, 1),
                # Rows with values above 88, where exp overflows float32, and rows where every exp underflows.
                "peaked": (Normal(), 0.5, 300, 30, 20),
            }.items()
        },
        "4*sqrt(input_size)",
        x=1,
        w1=1,
    ),
    reference=gemm_sigmoid_log_sum_exp,
    tolerance=Tolerance(scale="std", rtol=0.01, atol_scale=0.02),
    flops="2*batch_size*hidden_size*(input_size+output_size)",
)


def matmul_sigmoid_sum(
    x: Float[Array, "batch_size input_size"],
    weight: Float[Array, "input_size hidden_size"],
    bias: Float[Array, " hidden_size"],
) -> Float[Array, "batch_size 1"]:
    """Returns the sum over the features of `sigmoid(x @ weight + bias)`."""
    return jnp.sum(jax.nn.sigmoid(jnp.dot(x, weight) + bias), axis=-1, keepdims=True)


MATMUL_SIGMOID_SUM = Workload(
    id="36k_Matmul_Sigmoid_Sum",
    version=1,
    title="Linear, sigmoid, row sum",
    tier="kernelbench",
    family="matmul_fusion",
    semantics="z = x @ weight + bias; out[m,0] = sum_o sigmoid(z[m,o]).",
    sizes=linear_sizes("input_size", "hidden_size"),
    inputs=(
        _X_INPUT_SIZE,
        InputSpec("weight", ("input_size", "hidden_size"), role="weight", meaning="weights (in, out)"),
        _BIAS_HIDDEN,
    ),
    output=_ONE_PER_ROW,
    distributions=with_cancelling(
        with_activations(
            weight=SharedComponent("2/sqrt(input_size)", "1.5/sqrt(input_size)", 1), bias=Normal(1.5, mean=-3)
        )
        # Sigmoids of 0 or 1: the sum counts positive features.
        | {
            "saturated": {
                "x": Normal(8),
                "weight": SharedComponent("2/sqrt(input_size)", "1.5/sqrt(input_size)", 1),
                "bias": Normal(12, mean=-12),
            }
        },
        "4*sqrt(input_size)",
        x=1,
        weight=0,
    ),
    reference=matmul_sigmoid_sum,
    tolerance=Tolerance(scale="std", rtol=0.01, atol_scale=0.01),
    flops="2*batch_size*input_size*hidden_size",
)


def gemm_max_subtract_gelu(
    x: Float[Array, "batch_size in_features"],
    weight: Float[Array, "in_features out_features"],
    bias: Float[Array, " out_features"],
) -> Float[Array, "batch_size out_features"]:
    """Returns the GELU (tanh form) of `x @ weight + bias` less the maximum of its row."""
    z = jnp.dot(x, weight) + bias
    return jax.nn.gelu(z - jnp.max(z, axis=-1, keepdims=True), approximate=True)


GEMM_MAX_SUBTRACT_GELU = Workload(
    id="42k_Gemm_Max_Subtract_GELU",
    version=1,
    title="Linear, subtraction of the row maximum, GELU",
    tier="kernelbench",
    family="matmul_fusion",
    semantics="z = x @ weight + bias; d = z - maximum of z over the output features; "
    "out = 0.5*d*(1 + tanh(sqrt(2/pi)*(d + 0.044715*d^3))).",
    sizes=linear_sizes(),
    inputs=(X, WEIGHT, BIAS),
    output=OUTPUT,
    distributions=with_cancelling(
        with_activations(weight=Normal("0.4/sqrt(in_features)"), bias=Normal(0.1))
        # Every maximum is below 0: one that starts from 0 is wrong.
        | {"negative": {"x": Normal(), "weight": Normal("0.4/sqrt(in_features)"), "bias": Normal(0.1, mean=-3)}},
        "4*sqrt(in_features)",
        x=1,
        weight=0,
    ),
    reference=gemm_max_subtract_gelu,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops="2*batch_size*in_features*out_features",
)


def matmul_avg_pool_gelu_scale_max(
    x: Float[Array, "batch_size in_features"],
    weight: Float[Array, "in_features out_features"],
    bias: Float[Array, " out_features"],
    *,
    pool_kernel_size: int,
    scale_factor: float,
) -> Float[Array, " batch_size"]:
    """Returns the row maximum of the scaled means of `gelu(x @ weight + bias)` over windows of `pool_kernel_size`.

    GELU has its tanh form. Version 1 applied it after the means, so that the weights could be pooled before a matrix
    multiplication `pool_kernel_size` times smaller.
    """
    activated = jax.nn.gelu(jnp.dot(x, weight) + bias, approximate=True)
    pooled = jnp.mean(activated.reshape(x.shape[0], -1, pool_kernel_size), axis=-1)
    return jnp.max(pooled * scale_factor, axis=-1)


MATMUL_AVG_POOL_GELU_SCALE_MAX = Workload(
    id="49k_Matmul_AvgPool_GELU_Scale_Max",
    version=2,
    title="Linear, GELU, average pooling over features, scaling, row maximum",
    tier="kernelbench",
    family="matmul_fusion",
    semantics="z = x @ weight + bias; g = 0.5*z*(1 + tanh(sqrt(2/pi)*(z + 0.044715*z^3))); p[m,j] = mean of g over "
    "the features pool_kernel_size*j to pool_kernel_size*(j+1) - 1; out[m] = maximum over j of scale_factor * p[m,j].",
    sizes=linear_sizes(pool_kernel_size=16, scale_factor=2.0),
    inputs=(X, WEIGHT, BIAS),
    output=OutputSpec(("batch_size",)),
    distributions=with_cancelling(
        {
            name: {"x": x, "weight": Normal("4/sqrt(in_features)"), "bias": Normal(bias_std, mean=bias_mean)}
            for name, (x, bias_std, bias_mean) in {
                "standard": (Normal(), 1, 0),
                # Rows from nearly 0 to far beyond the others.
                "spread": (SpreadRows(-1, 1, outlier_factor=1), 4, 0),
                # Nearly every pooled value is below 0: a maximum that starts from 0 is wrong.
                "negative": (Normal(0.125), 0.5, -1.5),
            }.items()
        },
        "4*sqrt(in_features)",
        x=1,
        weight=0,
    ),
    reference=matmul_avg_pool_gelu_scale_max,
    # A maximum of bfloat16 means is biased: XLA's own order of rounding was seen 0.012 S off, 2.1 times the noise.
    tolerance=Tolerance(scale="std", rtol=0.01, atol_scale=0.05, offset_floor=0.02),
    flops="2*batch_size*in_features*out_features",
)
