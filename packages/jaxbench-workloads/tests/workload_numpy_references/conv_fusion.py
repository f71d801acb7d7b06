"""A convolution, summed over the taps of its kernel, and what is fused to it.

The second formulations replace the convolution alone, by one that looks at each output's whole receptive field.
"""

import functools
import itertools

import numpy as np

from workload_numpy_references.common import gelu_tanh, logsumexp_of_row, mish, standardize


def convolve(x, weight, bias):
    """Returns the cross-correlation of x (batch, in, ...) with weights (out, in, ...) inside its borders."""
    kernel = weight.shape[2:]
    spatial = tuple(size - taps + 1 for size, taps in zip(x.shape[2:], kernel, strict=True))
    out = np.zeros((len(x), len(weight), *spatial))
    for tap in np.ndindex(kernel):
        window = tuple(slice(first, first + size) for first, size in zip(tap, spatial, strict=True))
        weights_of_tap = weight[:, :, *tap]
        for image in range(len(x)):
            seen = x[(image, slice(None), *window)].reshape(x.shape[1], -1)
            out[image] += (weights_of_tap @ seen).reshape(out.shape[1:])
    return out + along_channels(bias, out.ndim)


def convolve_transposed(x, weight, bias, stride, padding, output_padding):
    """Adds every input times weights (in, out, ...) to the outputs it reaches, and cuts off the padding."""
    kernel = weight.shape[2:]
    sizes = tuple(
        stride * (size - 1) + taps - 2 * padding + output_padding
        for size, taps in zip(x.shape[2:], kernel, strict=True)
    )
    uncut = np.zeros((len(x), weight.shape[1], *(size + 2 * padding for size in sizes)))
    for image, tap in itertools.product(range(len(x)), np.ndindex(kernel)):
        sent = weight[:, :, *tap].T @ x[image].reshape(x.shape[1], -1)
        reached = tuple(
            slice(first, first + stride * (size - 1) + 1, stride) for first, size in zip(tap, x.shape[2:], strict=True)
        )
        uncut[(image, slice(None), *reached)] += sent.reshape(-1, *x.shape[2:])
    cut = tuple(slice(padding, padding + size) for size in sizes)
    return uncut[(slice(None), slice(None), *cut)] + along_channels(bias, uncut.ndim)


def along_channels(vector, ndim):
    return vector.reshape(1, -1, *[1] * (ndim - 2))


def instance_norm(images, eps):
    out = np.empty_like(images)
    for image, channel in np.ndindex(images.shape[:2]):
        out[image, channel] = standardize(images[image, channel], eps)
    return out


def group_norm(images, num_groups, eps):
    """Standardizes each group of consecutive channels of each image."""
    size = images.shape[1] // num_groups
    out = np.empty_like(images)
    for image, group in np.ndindex(len(images), num_groups):
        channels = slice(group * size, (group + 1) * size)
        out[image, channels] = standardize(images[image, channels], eps)
    return out


def conv2d_relu_bias_add(x, weight, conv_bias, bias, *, convolve=convolve, **_dims):
    out = convolve(x, weight, conv_bias)
    return np.where(out > 0, out, 0) + along_channels(bias, out.ndim)


def conv2d_instance_norm_divide(
    x, weight, conv_bias, in_weight, in_bias, *, eps=1e-5, divide_by=2.0, convolve=convolve, **_dims
):
    normalized = instance_norm(convolve(x, weight, conv_bias), eps)
    scaled = normalized * along_channels(in_weight, x.ndim) + along_channels(in_bias, x.ndim)
    return scaled / divide_by


def conv3d_group_norm_mean(x, weight, conv_bias, gamma, beta, *, convolve=convolve, **dims):
    normalized = group_norm(convolve(x, weight, conv_bias), dims["num_groups"], dims["eps"])
    scaled = normalized * along_channels(gamma, x.ndim) + along_channels(beta, x.ndim)
    return np.array([image.sum() / image.size for image in scaled])


def conv_transpose3d_layer_norm_gelu_scaling(
    x, conv_weight, conv_bias, ln_weight, ln_bias, *, convolve_transposed=convolve_transposed, **dims
):
    out = convolve_transposed(x, conv_weight, conv_bias, dims["stride"], dims["padding"], dims["output_padding"])
    for line in np.ndindex(out.shape[:-1]):
        out[line] = standardize(out[line], dims["eps"]) * ln_weight + ln_bias
    return gelu_tanh(out) * dims["scaling_factor"]


def conv3d_mish_tanh(x, weight, bias, *, convolve=convolve, **_dims):
    return np.tanh(mish(convolve(x, weight, bias)))


def conv2d_activation_batch_norm(x, conv_weight, conv_bias, bn_weight, bn_bias, *, convolve=convolve, **dims):
    out = mish(convolve(x, conv_weight, conv_bias))
    for channel in range(out.shape[1]):
        normalized = standardize(out[:, channel], dims["eps"])
        out[:, channel] = normalized * bn_weight[channel] + bn_bias[channel]
    return out


def conv2d_gelu_global_avg_pool(x, weight, bias, *, convolve=convolve, **_dims):
    activated = gelu_tanh(convolve(x, weight, bias))
    out = np.empty(activated.shape[:2])
    for image, channel in np.ndindex(out.shape):
        out[image, channel] = activated[image, channel].sum() / activated[image, channel].size
    return out


def conv2d_group_norm_tanh_hard_swish_residual_add_logsumexp(
    x, conv_weight, conv_bias, gn_weight, gn_bias, *, convolve=convolve, **dims
):
    convolved = convolve(x, conv_weight, conv_bias)
    normalized = group_norm(convolved, dims["groups"], dims["eps"])
    bounded = np.tanh(normalized * along_channels(gn_weight, x.ndim) + along_channels(gn_bias, x.ndim))
    residual = convolved + bounded * np.minimum(np.maximum(bounded + 3, 0), 6) / 6
    out = np.empty((len(residual), 1, *residual.shape[2:]))
    for image, row, column in np.ndindex(len(residual), *residual.shape[2:]):
        out[image, 0, row, column] = logsumexp_of_row(residual[image, :, row, column])
    return out


def convolve_fields(x, weight, bias):
    """Returns the same as `convolve` from the receptive field of every output."""
    axes = tuple(range(2, x.ndim))
    fields = np.lib.stride_tricks.sliding_window_view(x, weight.shape[2:], axes)
    contracted = (1, *range(x.ndim, fields.ndim))
    out = np.tensordot(fields, weight, (contracted, (1, *axes)))
    return np.moveaxis(out + bias, -1, 1)


def convolve_transposed_fields(x, weight, bias, stride, padding, output_padding):
    """Returns the same as `convolve_transposed` by convolving x, spread out with zeros, with the flipped kernel."""
    axes = tuple(range(2, x.ndim))
    margins = [taps - 1 - padding for taps in weight.shape[2:]]
    sizes = [
        stride * (size - 1) + 1 + 2 * margin + output_padding for size, margin in zip(x.shape[2:], margins, strict=True)
    ]
    spread = np.zeros((*x.shape[:2], *sizes))
    inside = (
        slice(margin, margin + stride * (size - 1) + 1, stride)
        for size, margin in zip(x.shape[2:], margins, strict=True)
    )
    spread[(slice(None), slice(None), *inside)] = x
    return convolve_fields(spread, np.flip(weight, axes).swapaxes(0, 1), bias)


REFERENCES = {
    "18k_Conv2D_ReLU_BiasAdd": conv2d_relu_bias_add,
    "22k_Conv2d_InstanceNorm_Divide": conv2d_instance_norm_divide,
    "25k_Conv3d_GroupNorm_Mean": conv3d_group_norm_mean,
    "28k_ConvTranspose3d_LayerNorm_GELU_Scaling": conv_transpose3d_layer_norm_gelu_scaling,
    "33k_Conv3d_Mish_Tanh": conv3d_mish_tanh,
    "34k_Conv2d_Activation_BatchNorm": conv2d_activation_batch_norm,
    "39k_Conv2d_GELU_GlobalAvgPool": conv2d_gelu_global_avg_pool,
    "46k_Conv2d_GroupNorm_Tanh_HardSwish_ResidualAdd_LogSumExp": (
        conv2d_group_norm_tanh_hard_swish_residual_add_logsumexp
    ),
}
SECOND_FORMULATIONS = {
    workload: functools.partial(function, convolve_transposed=convolve_transposed_fields)
    if function is conv_transpose3d_layer_norm_gelu_scaling
    else functools.partial(function, convolve=convolve_fields)
    for workload, function in REFERENCES.items()
}
