"""3D convolutions fused with what follows them."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from jaxbench_harness.input_distributions import Normal
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.workload import InputSpec, OutputSpec, Workload, sizes
from jaxbench_workloads.conv_fusion.inputs import (
    CONV3D_FLOPS,
    EVEN,
    VARIED,
    VOLUME,
    VariedChannels,
    kernel_3d,
    per_channel,
    with_activations,
)
from jaxbench_workloads.layers import standardize, standardize_groups

_KERNEL = Normal("1/sqrt(in_channels*kernel_size**3)")


def conv3d(
    x: Float[Array, "batch_size in_channels depth height width"],
    weight: Float[Array, "out_channels in_channels kernel_size kernel_size kernel_size"],
    bias: Float[Array, " out_channels"],
) -> Float[Array, "batch_size out_channels depth_out height_out width_out"]:
    """Returns the cross-correlation with stride 1 and without padding, plus `bias` per output channel."""
    return jax.lax.conv(x, weight, (1, 1, 1), "VALID") + bias[:, None, None, None]


def conv3d_group_norm_mean(
    x: Float[Array, "batch_size in_channels depth height width"],
    weight: Float[Array, "out_channels in_channels kernel_size kernel_size kernel_size"],
    conv_bias: Float[Array, " out_channels"],
    gamma: Float[Array, " out_channels"],
    beta: Float[Array, " out_channels"],
    *,
    num_groups: int,
    eps: float,
) -> Float[Array, " batch_size"]:
    """Returns the mean over channels and positions of the group-normalized `conv3d(x, weight, conv_bias)`."""
    normalized = standardize_groups(conv3d(x, weight, conv_bias), num_groups, eps)
    scaled = normalized * gamma[:, None, None, None] + beta[:, None, None, None]
    return jnp.mean(scaled, axis=(1, 2, 3, 4))


CONV3D_GROUP_NORM_MEAN = Workload(
    id="25k_Conv3d_GroupNorm_Mean",
    version=1,
    title="3D convolution, group norm, mean per sample",
    tier="kernelbench",
    family="conv_fusion",
    semantics="z = cross-correlation of x with weight (stride 1, no padding) + conv_bias[o]; "
    "y = (z - mean)/sqrt(variance + eps)*gamma[o] + beta[o], mean and population variance per sample and group of "
    "out_channels/num_groups consecutive channels, over these and the positions; out[n] = mean of y[n].",
    sizes=sizes(
        full={
            "batch_size": 128,
            "in_channels": 3,
            "out_channels": 24,
            "kernel_size": 3,
            "num_groups": 8,
            "depth": 24,
            "height": 32,
            "width": 32,
            "eps": 1e-5,
        },
        check={
            "batch_size": 4,
            "in_channels": 3,
            "out_channels": 24,
            "kernel_size": 3,
            "num_groups": 8,
            "depth": 8,
            "height": 16,
            "width": 32,
            "eps": 1e-5,
        },
        check_odd={
            "batch_size": 7,
            "in_channels": 5,
            "out_channels": 30,
            "kernel_size": 3,
            "num_groups": 6,
            "depth": 7,
            "height": 11,
            "width": 18,
            "eps": 1e-5,
        },
    ),
    inputs=(
        VOLUME,
        kernel_3d("weight"),
        per_channel("conv_bias", "one per output channel of the convolution"),
        per_channel("gamma", "gain of the group norm", role="weight"),
        per_channel("beta", "shift of the group norm; only its mean matters"),
    ),
    output=OutputSpec(("batch_size",)),
    # Gains of mean 0: with equal ones the mean of a normalized group is 0, whatever x is.
    distributions=with_activations(VARIED, weight=_KERNEL, conv_bias=Normal(0.5), gamma=Normal(2), beta=Normal(0.5))
    # Variances around eps.
    | {
        "tiny": {
            "x": VariedChannels("sqrt(eps)"),
            "weight": _KERNEL,
            "conv_bias": Normal("0.5*sqrt(eps)"),
            "gamma": Normal(2),
            "beta": Normal(0.5),
        }
    },
    reference=conv3d_group_norm_mean,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops=CONV3D_FLOPS,
    # Channel means and group variances of a convolution are linear and quadratic in its kernel: they follow from the
    # sums of x and from its products with itself, shifted by up to kernel_size-1. Counted where all shifts are inside.
    useful_flops="batch_size*(in_channels**2*(2*kernel_size-1)**3 + in_channels)"
    "*(depth-2*kernel_size+2)*(height-2*kernel_size+2)*(width-2*kernel_size+2)",
    shortcut="needs no convolution: its means and variances follow from the autocorrelation of x",
)


def conv_transpose3d_layer_norm_gelu_scaling(
    x: Float[Array, "batch_size in_channels depth height width"],
    conv_weight: Float[Array, "in_channels out_channels kernel_size kernel_size kernel_size"],
    conv_bias: Float[Array, " out_channels"],
    ln_weight: Float[Array, " width_out"],
    ln_bias: Float[Array, " width_out"],
    *,
    stride: int,
    padding: int,
    output_padding: int,
    eps: float,
    scaling_factor: float,
) -> Float[Array, "batch_size out_channels depth_out height_out width_out"]:
    """Returns the scaled GELU (tanh form) of the transposed convolution of `x`, normalized over its last axis.

    The transposed convolution is a cross-correlation of `x`, spread out by `stride`, with the flipped kernel.
    """
    before = conv_weight.shape[-1] - 1 - padding
    convolved = jax.lax.conv_general_dilated(
        x,
        jnp.flip(conv_weight, (2, 3, 4)).swapaxes(0, 1),
        window_strides=(1, 1, 1),
        padding=[(before, before + output_padding)] * 3,
        lhs_dilation=(stride,) * 3,
    )
    z = convolved + conv_bias[:, None, None, None]
    normalized = standardize(z, -1, eps) * ln_weight + ln_bias
    return jax.nn.gelu(normalized, approximate=True) * scaling_factor


_CONV_TRANSPOSE = {
    "kernel_size": 4,
    "stride": 2,
    "padding": 1,
    "output_padding": 0,
    "eps": 1e-5,
    "scaling_factor": 1.0,
}

CONV_TRANSPOSE3D_LAYER_NORM_GELU_SCALING = Workload(
    id="28k_ConvTranspose3d_LayerNorm_GELU_Scaling",
    version=1,
    title="Transposed 3D convolution, layer norm over the last axis, GELU, scaling",
    tier="kernelbench",
    family="conv_fusion",
    semantics="z[n,o,a,b,c] = conv_bias[o] + sum of x[n,i,d,h,w]*conv_weight[i,o,u,v,t] over i and all (d,u), (h,v), "
    "(w,t) with a = stride*d + u - padding, b = stride*h + v - padding, c = stride*w + t - padding; "
    "y = (z - mean)/sqrt(variance + eps)*ln_weight[c] + ln_bias[c], mean and population variance over the last axis, "
    "as long as there are output channels; out = scaling_factor * 0.5*y*(1 + tanh(sqrt(2/pi)*(y + 0.044715*y^3))).",
    sizes=sizes(
        full={
            "batch_size": 32,
            "in_channels": 32,
            "out_channels": 64,
            "depth": 16,
            "height": 32,
            "width": 32,
            **_CONV_TRANSPOSE,
        },
        check={
            "batch_size": 1,
            "in_channels": 16,
            "out_channels": 64,
            "depth": 4,
            "height": 8,
            "width": 32,
            **_CONV_TRANSPOSE,
        },
        check_odd={
            "batch_size": 2,
            "in_channels": 10,
            "out_channels": 40,
            "depth": 3,
            "height": 7,
            "width": 20,
            **_CONV_TRANSPOSE,
        },
    ),
    inputs=(
        VOLUME,
        InputSpec(
            "conv_weight",
            ("in_channels", "out_channels", "kernel_size", "kernel_size", "kernel_size"),
            role="weight",
            meaning="kernel (in, out, depth, height, width), not flipped",
        ),
        per_channel("conv_bias", "one per output channel; the layer norm removes it"),
        per_channel("ln_weight", "gain of the layer norm, one per position of the last axis", role="weight"),
        per_channel("ln_bias", "shift of the layer norm, one per position of the last axis"),
    ),
    output=OutputSpec(("batch_size", "out_channels", "stride*depth", "stride*height", "stride*width")),
    distributions=with_activations(
        VARIED,
        conv_weight=Normal("1/sqrt(in_channels*8)"),
        conv_bias=Normal(0.5),
        ln_weight=Normal(0.3, mean=1),
        ln_bias=Normal(0.5),
    )
    # Variances around eps.
    | {
        "tiny": {
            "x": VariedChannels("sqrt(eps)"),
            "conv_weight": Normal("1/sqrt(in_channels*8)"),
            "conv_bias": Normal("0.5*sqrt(eps)"),
            "ln_weight": Normal(0.3, mean=1),
            "ln_bias": Normal(0.5),
        }
    },
    reference=conv_transpose3d_layer_norm_gelu_scaling,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops="2*batch_size*in_channels*out_channels*kernel_size**3*depth*height*width",
    # Without the products that fall outside the output, and without conv_bias, which the layer norm removes.
    useful_flops="2*batch_size*in_channels*out_channels*(kernel_size*depth-2*padding)*(kernel_size*height-2*padding)"
    "*(kernel_size*width-2*padding)",
    useful_bytes="min_bytes - 2*out_channels",
)


def conv3d_mish_tanh(
    x: Float[Array, "batch_size in_channels depth height width"],
    weight: Float[Array, "out_channels in_channels kernel_size kernel_size kernel_size"],
    bias: Float[Array, " out_channels"],
) -> Float[Array, "batch_size out_channels depth_out height_out width_out"]:
    """Returns `tanh(mish(conv3d(x, weight, bias)))`."""
    return jnp.tanh(jax.nn.mish(conv3d(x, weight, bias)))


CONV3D_MISH_TANH = Workload(
    id="33k_Conv3d_Mish_Tanh",
    version=1,
    title="3D convolution, Mish, tanh",
    tier="kernelbench",
    family="conv_fusion",
    semantics="z = cross-correlation of x with weight (stride 1, no padding) + bias[o]; "
    "out = tanh(z * tanh(log(1 + exp(z)))).",
    sizes=sizes(
        full={
            "batch_size": 16,
            "in_channels": 32,
            "out_channels": 64,
            "kernel_size": 3,
            "depth": 32,
            "height": 64,
            "width": 64,
        },
        check={
            "batch_size": 1,
            "in_channels": 32,
            "out_channels": 64,
            "kernel_size": 3,
            "depth": 8,
            "height": 16,
            "width": 64,
        },
        check_odd={
            "batch_size": 2,
            "in_channels": 12,
            "out_channels": 40,
            "kernel_size": 3,
            "depth": 7,
            "height": 11,
            "width": 34,
        },
    ),
    inputs=(VOLUME, kernel_3d("weight"), per_channel("bias", "one per output channel")),
    output=OutputSpec(
        (
            "batch_size",
            "out_channels",
            "depth-kernel_size+1",
            "height-kernel_size+1",
            "width-kernel_size+1",
        )
    ),
    distributions=with_activations(EVEN, weight=_KERNEL, bias=Normal(0.5))
    # Values above 88, where exp overflows float32.
    | {"large": {"x": Normal(32), "weight": _KERNEL, "bias": Normal(16)}},
    reference=conv3d_mish_tanh,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops=CONV3D_FLOPS,
)
