"""2D convolutions fused with what follows them."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from jaxbench_harness.input_distributions import Normal
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.workload import InputSpec, OutputSpec, Workload, sizes
from jaxbench_workloads.conv_fusion.inputs import (
    CONV2D_FLOPS,
    EVEN,
    IMAGE,
    IMAGE_OUTPUT,
    VARIED,
    VariedChannels,
    kernel_2d,
    per_channel,
    with_activations,
)
from jaxbench_workloads.layers import standardize, standardize_groups

_64_TO_128 = {"in_channels": 64, "out_channels": 128, "kernel_size": 3}
_24_TO_40 = {"in_channels": 24, "out_channels": 40, "kernel_size": 3}
_8_TO_64 = {"in_channels": 8, "out_channels": 64, "kernel_size": 3}
_6_TO_40 = {"in_channels": 6, "out_channels": 40, "kernel_size": 3}

_CONV_BIAS = per_channel("conv_bias", "one per output channel of the convolution")
_KERNEL = Normal("1/sqrt(in_channels*kernel_size**2)")
_GAIN, _SHIFT = Normal(0.3, mean=1), Normal(0.5)


def conv2d(
    x: Float[Array, "batch_size in_channels height width"],
    weight: Float[Array, "out_channels in_channels kernel_size kernel_size"],
    bias: Float[Array, " out_channels"],
) -> Float[Array, "batch_size out_channels height_out width_out"]:
    """Returns the cross-correlation with stride 1 and without padding, plus `bias` per output channel."""
    return jax.lax.conv(x, weight, (1, 1), "VALID") + bias[:, None, None]


def conv2d_relu_bias_add(
    x: Float[Array, "batch_size in_channels height width"],
    weight: Float[Array, "out_channels in_channels kernel_size kernel_size"],
    conv_bias: Float[Array, " out_channels"],
    bias: Float[Array, "out_channels 1 1"],
) -> Float[Array, "batch_size out_channels height_out width_out"]:
    """Returns `max(conv2d(x, weight, conv_bias), 0) + bias`."""
    return jax.nn.relu(conv2d(x, weight, conv_bias)) + bias


CONV2D_RELU_BIAS_ADD = Workload(
    id="18k_Conv2D_ReLU_BiasAdd",
    version=1,
    title="2D convolution, ReLU, bias",
    tier="kernelbench",
    family="conv_fusion",
    semantics="z = cross-correlation of x with weight (stride 1, no padding) + conv_bias[o]; "
    "out = max(z, 0) + bias[o].",
    sizes=sizes(
        full={"batch_size": 128, **_64_TO_128, "height": 128, "width": 128},
        check={"batch_size": 2, **_64_TO_128, "height": 16, "width": 128},
        check_odd={"batch_size": 3, **_24_TO_40, "height": 13, "width": 50},
    ),
    inputs=(
        IMAGE,
        kernel_2d("weight"),
        per_channel("conv_bias", "added before the ReLU, one per output channel"),
        InputSpec("bias", ("out_channels", 1, 1), role="bias", meaning="added after the ReLU, one per output channel"),
    ),
    output=IMAGE_OUTPUT,
    distributions=with_activations(EVEN, weight=_KERNEL, conv_bias=Normal(0.5), bias=Normal(0.5)),
    reference=conv2d_relu_bias_add,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops=CONV2D_FLOPS,
)


def conv2d_instance_norm_divide(
    x: Float[Array, "batch_size in_channels height width"],
    weight: Float[Array, "out_channels in_channels kernel_size kernel_size"],
    conv_bias: Float[Array, " out_channels"],
    in_weight: Float[Array, " out_channels"],
    in_bias: Float[Array, " out_channels"],
    *,
    eps: float,
    divide_by: float,
) -> Float[Array, "batch_size out_channels height_out width_out"]:
    """Returns `conv2d(x, weight, conv_bias)` normalized per sample and channel over its positions, over `divide_by`."""
    normalized = standardize(conv2d(x, weight, conv_bias), (2, 3), eps)
    return (normalized * in_weight[:, None, None] + in_bias[:, None, None]) / divide_by


CONV2D_INSTANCE_NORM_DIVIDE = Workload(
    id="22k_Conv2d_InstanceNorm_Divide",
    version=1,
    title="2D convolution, instance norm, division",
    tier="kernelbench",
    family="conv_fusion",
    semantics="z = cross-correlation of x with weight (stride 1, no padding) + conv_bias[o]; "
    "y = (z - mean)/sqrt(variance + eps)*in_weight[o] + in_bias[o], mean and population variance per sample and "
    "channel over the positions; out = y / divide_by.",
    sizes=sizes(
        full={"batch_size": 128, **_64_TO_128, "height": 128, "width": 128, "eps": 1e-5, "divide_by": 2.0},
        check={"batch_size": 2, **_64_TO_128, "height": 16, "width": 128, "eps": 1e-5, "divide_by": 2.0},
        check_odd={"batch_size": 3, **_24_TO_40, "height": 13, "width": 50, "eps": 1e-5, "divide_by": 2.0},
    ),
    inputs=(
        IMAGE,
        kernel_2d("weight"),
        per_channel("conv_bias", "one per output channel; the instance norm removes it"),
        per_channel("in_weight", "gain of the instance norm", role="weight"),
        per_channel("in_bias", "shift of the instance norm"),
    ),
    output=IMAGE_OUTPUT,
    distributions=with_activations(VARIED, weight=_KERNEL, conv_bias=Normal(0.5), in_weight=_GAIN, in_bias=_SHIFT)
    # Variances around eps.
    | {
        "tiny": {
            "x": VariedChannels("sqrt(eps)"),
            "weight": _KERNEL,
            "conv_bias": Normal("0.5*sqrt(eps)"),
            "in_weight": _GAIN,
            "in_bias": _SHIFT,
        }
    },
    reference=conv2d_instance_norm_divide,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops=CONV2D_FLOPS,
    useful_bytes="min_bytes - 2*out_channels",  # the instance norm removes conv_bias
)


def conv2d_activation_batch_norm(
    x: Float[Array, "batch_size in_channels height width"],
    conv_weight: Float[Array, "out_channels in_channels kernel_size kernel_size"],
    conv_bias: Float[Array, " out_channels"],
    bn_weight: Float[Array, " out_channels"],
    bn_bias: Float[Array, " out_channels"],
    *,
    eps: float,
) -> Float[Array, "batch_size out_channels height_out width_out"]:
    """Returns `mish(conv2d(x, conv_weight, conv_bias))` normalized per channel over samples and positions."""
    normalized = standardize(jax.nn.mish(conv2d(x, conv_weight, conv_bias)), (0, 2, 3), eps)
    return normalized * bn_weight[:, None, None] + bn_bias[:, None, None]


CONV2D_ACTIVATION_BATCH_NORM = Workload(
    id="34k_Conv2d_Activation_BatchNorm",
    version=1,
    title="2D convolution, Mish, batch norm of training",
    tier="kernelbench",
    family="conv_fusion",
    semantics="z = cross-correlation of x with conv_weight (stride 1, no padding) + conv_bias[o]; "
    "s = z * tanh(log(1 + exp(z))); out = (s - mean)/sqrt(variance + eps)*bn_weight[o] + bn_bias[o], mean and "
    "population variance per channel over samples and positions.",
    sizes=sizes(
        full={"batch_size": 64, **_64_TO_128, "height": 128, "width": 128, "eps": 1e-5},
        check={"batch_size": 2, **_64_TO_128, "height": 16, "width": 128, "eps": 1e-5},
        check_odd={"batch_size": 3, **_24_TO_40, "height": 13, "width": 50, "eps": 1e-5},
    ),
    inputs=(
        IMAGE,
        kernel_2d("conv_weight"),
        _CONV_BIAS,
        per_channel("bn_weight", "gain of the batch norm", role="weight"),
        per_channel("bn_bias", "shift of the batch norm"),
    ),
    output=IMAGE_OUTPUT,
    distributions=with_activations(EVEN, conv_weight=_KERNEL, conv_bias=Normal(0.5), bn_weight=_GAIN, bn_bias=_SHIFT)
    # Mish of values around -8 is tiny: variances around eps.
    | {
        "tiny": {
            "x": Normal(),
            "conv_weight": _KERNEL,
            "conv_bias": Normal(0.5, mean=-8),
            "bn_weight": _GAIN,
            "bn_bias": _SHIFT,
        }
    },
    reference=conv2d_activation_batch_norm,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops=CONV2D_FLOPS,
)


def conv2d_gelu_global_avg_pool(
    x: Float[Array, "batch_size in_channels height width"],
    weight: Float[Array, "out_channels in_channels kernel_size kernel_size"],
    bias: Float[Array, " out_channels"],
) -> Float[Array, "batch_size out_channels"]:
    """Returns the mean over the positions of `gelu(conv2d(x, weight, bias))`, with the tanh form of GELU."""
    return jnp.mean(jax.nn.gelu(conv2d(x, weight, bias), approximate=True), axis=(2, 3))


CONV2D_GELU_GLOBAL_AVG_POOL = Workload(
    id="39k_Conv2d_GELU_GlobalAvgPool",
    version=1,
    title="2D convolution, GELU, mean over positions",
    tier="kernelbench",
    family="conv_fusion",
    semantics="z = cross-correlation of x with weight (stride 1, no padding) + bias[o]; "
    "g = 0.5*z*(1 + tanh(sqrt(2/pi)*(z + 0.044715*z^3))); out[n,o] = mean of g[n,o] over the positions.",
    sizes=sizes(
        full={"batch_size": 128, **_8_TO_64, "height": 256, "width": 256},
        check={"batch_size": 2, **_8_TO_64, "height": 32, "width": 128},
        check_odd={"batch_size": 3, **_6_TO_40, "height": 29, "width": 50},
    ),
    inputs=(IMAGE, kernel_2d("weight"), per_channel("bias", "one per output channel")),
    output=OutputSpec(("batch_size", "out_channels")),
    distributions=with_activations(VARIED, weight=_KERNEL, bias=Normal(0.5)),
    reference=conv2d_gelu_global_avg_pool,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops=CONV2D_FLOPS,
)


def conv2d_group_norm_tanh_hard_swish_residual_add_log_sum_exp(
    x: Float[Array, "batch_size in_channels height width"],
    conv_weight: Float[Array, "out_channels in_channels kernel_size kernel_size"],
    conv_bias: Float[Array, " out_channels"],
    gn_weight: Float[Array, " out_channels"],
    gn_bias: Float[Array, " out_channels"],
    *,
    groups: int,
    eps: float,
) -> Float[Array, "batch_size 1 height_out width_out"]:
    """Returns the logsumexp over channels of `z + hard_swish(tanh(group norm of z))`, `z` being the convolution."""
    z = conv2d(x, conv_weight, conv_bias)
    normalized = standardize_groups(z, groups, eps) * gn_weight[:, None, None] + gn_bias[:, None, None]
    return jax.nn.logsumexp(z + jax.nn.hard_swish(jnp.tanh(normalized)), axis=1, keepdims=True)


CONV2D_GROUP_NORM_TANH_HARD_SWISH_RESIDUAL_ADD_LOG_SUM_EXP = Workload(
    id="46k_Conv2d_GroupNorm_Tanh_HardSwish_ResidualAdd_LogSumExp",
    version=1,
    title="2D convolution, group norm, tanh, hard swish, residual addition, logsumexp over channels",
    tier="kernelbench",
    family="conv_fusion",
    semantics="z = cross-correlation of x with conv_weight (stride 1, no padding) + conv_bias[o]; "
    "t = tanh((z - mean)/sqrt(variance + eps)*gn_weight[o] + gn_bias[o]), mean and population variance per sample and "
    "group of out_channels/groups consecutive channels, over these and the positions; "
    "r = z + t*min(max(t + 3, 0), 6)/6; out[n,0,i,j] = logsumexp of r[n,:,i,j] over the channels.",
    sizes=sizes(
        full={"batch_size": 128, **_8_TO_64, "height": 128, "width": 128, "groups": 16, "eps": 1e-5},
        check={"batch_size": 2, **_8_TO_64, "height": 16, "width": 128, "groups": 16, "eps": 1e-5},
        check_odd={"batch_size": 3, **_6_TO_40, "height": 13, "width": 50, "groups": 10, "eps": 1e-5},
    ),
    inputs=(
        IMAGE,
        kernel_2d("conv_weight"),
        _CONV_BIAS,
        per_channel("gn_weight", "gain of the group norm", role="weight"),
        per_channel("gn_bias", "shift of the group norm"),
    ),
    output=OutputSpec(("batch_size", 1, "height-kernel_size+1", "width-kernel_size+1")),
    distributions={
        name: {
            "x": x,
            "conv_weight": _KERNEL,
            "conv_bias": conv_bias,
            "gn_weight": Normal(),
            "gn_bias": Normal(),
        }
        for name, (x, conv_bias) in {
            "standard": (VariedChannels(), Normal(0.5)),
            "shifted": (VariedChannels(mean=0.5), Normal(0.5)),
            "spread": (VariedChannels(log_range=1.2), Normal(0.5)),
            # Channels of a group differ in their mean.
            "offset": (VariedChannels(), Normal(2)),
        }.items()
    },
    reference=conv2d_group_norm_tanh_hard_swish_residual_add_log_sum_exp,
    tolerance=Tolerance(scale="std", rtol=0.005, atol_scale=0.05),
    flops=CONV2D_FLOPS,
)
