"""A matmul and what is fused to it.

Where weights are laid out (out, in), every output feature is computed on its own from its row of weights, so that a
square matrix cannot be read the wrong way round by mistake.
"""

import math

import numpy as np

from workload_numpy_references.common import (
    gelu_tanh,
    logsumexp_of_row,
    mish,
    sigmoid,
    softmax_of_row,
    standardize,
    swish,
)


def feature_by_feature(x, weight):
    """Returns x times the transpose of weights (out, in)."""
    return np.stack([x @ weights_of_feature for weights_of_feature in weight], axis=1)


def row_by_row(function, rows):
    return np.stack([function(row) for row in rows])


def group_norm(rows, num_groups, eps):
    """Standardizes each group of consecutive features of each row."""
    size = rows.shape[1] // num_groups
    out = np.empty_like(rows)
    for row, group in np.ndindex(len(rows), num_groups):
        features = slice(group * size, (group + 1) * size)
        out[row, features] = standardize(rows[row, features], eps)
    return out


def matmul_subtract_multiply_relu(x, weight, bias, **dims):
    scaled = (x @ weight + bias - dims["subtract_value"]) * dims["multiply_value"]
    return np.where(scaled > 0, scaled, 0)


def gemm_multiply_leaky_relu(x, weight, bias, **dims):
    scaled = (x @ weight + bias) * dims["multiplier"]
    return np.where(scaled < 0, dims["negative_slope"] * scaled, scaled)


def gemm_divide_positive_sum_scaling(x, weight, **dims):
    """The public version with negative features left out of the row sum, without which the matmul collapses."""
    out = np.zeros((dims["batch_size"], 1))
    for weights_of_feature in weight:
        divided = x @ weights_of_feature / dims["divisor"]
        out[:, 0] += np.where(divided > 0, divided, 0)
    return dims["scaling_factor"] * out


def gemm_divide_sum_scaling(x, weight, **dims):
    out = np.zeros((dims["batch_size"], 1))
    for weights_of_feature in weight:
        out[:, 0] += x @ weights_of_feature / dims["divisor"]
    return dims["scaling_factor"] * out


def matmul_grouped_reductions(x, weight, bias, **dims):
    """The public version's reductions over nested groups of features, without which the matmul collapses.

    Maxima of neighbours, sums of neighbouring maxima, means of neighbouring sums; the two logarithms of sums of
    exponentials that follow are one over everything that is left.
    """
    group = dims["group_size"]
    features = x @ weight.T + bias
    out = np.empty((dims["batch_size"], 1))
    for row, values in enumerate(features):
        maxima = [max(values[start : start + group]) for start in range(0, len(values), group)]
        sums = [sum(maxima[start : start + group]) for start in range(0, len(maxima), group)]
        means = [sum(sums[start : start + group]) / group for start in range(0, len(sums), group)]
        out[row, 0] = logsumexp_of_row(np.array(means))
    return out


def matmul_sum_identities(x, weight, bias, **dims):
    """Leaves out the maximum, mean and logarithms of sums over an axis of size 1, all of which are identities."""
    out = np.zeros((dims["batch_size"], 1))
    for weights_of_feature, bias_of_feature in zip(weight, bias, strict=True):
        out[:, 0] += x @ weights_of_feature + bias_of_feature
    return out


def matmul_scale_residual_add_clamp_logsumexp_mish(x, weight, bias, **dims):
    doubled = 2 * dims["scale_factor"] * (feature_by_feature(x, weight) + bias)
    clamped = np.minimum(np.maximum(doubled, dims["clamp_min"]), dims["clamp_max"])
    out = row_by_row(logsumexp_of_row, clamped)[:, None]
    return out * mish(out)


def bmm_row_norm_residual_add_multiply(x, y, bmm_weight, bmm_bias, in_weight, in_bias, **dims):
    """The public version normalized over a row's features instead of over an axis of size 1."""
    rows = feature_by_feature(x, bmm_weight) + bmm_bias
    normalized = row_by_row(lambda row: standardize(row, dims["eps"]), rows)
    return (normalized * in_weight + in_bias + y) * y


def bmm_instance_norm_residual_add_multiply(x, y, bmm_weight, bmm_bias, in_weight, in_bias, **dims):
    rows = feature_by_feature(x, bmm_weight) + bmm_bias
    normalized = (rows - rows) / math.sqrt(dims["eps"])
    return (normalized * in_weight + in_bias + y) * y


def matmul_mish_mish(x, weight, bias, **_dims):
    return mish(mish(x @ weight + bias))


def matmul_swish_sum_group_norm(x, weight, bias, gn_weight, gn_bias, **dims):
    rows = swish(x @ weight) + bias
    return group_norm(rows, dims["num_groups"], dims["eps"]) * gn_weight + gn_bias


def matmul_scaling_residual_add(x, weight, bias, **dims):
    return (1 + dims["scaling_factor"]) * (x @ weight + bias)


def gemm_batch_norm_gelu_relu(x, gemm_weight, gemm_bias, bn_weight, bn_bias, **dims):
    out = np.empty((dims["batch_size"], dims["out_features"]))
    for feature in range(dims["out_features"]):
        normalized = standardize(x @ gemm_weight[feature] + gemm_bias[feature], dims["eps"])
        activated = gelu_tanh(normalized * bn_weight[feature] + bn_bias[feature])
        out[:, feature] = np.where(activated > 0, activated, 0)
    return out


def gemm_sigmoid_logsumexp(x, w1, b1, w2, b2, **_dims):
    hidden = sigmoid(feature_by_feature(x, w1) + b1)
    return row_by_row(logsumexp_of_row, feature_by_feature(hidden, w2) + b2)


def gemm_scaling_hardtanh_gelu(x, weight, bias, **dims):
    scaled = (x @ weight + bias) * dims["scaling_factor"]
    return gelu_tanh(np.minimum(np.maximum(scaled, dims["hardtanh_min"]), dims["hardtanh_max"]))


def matmul_sigmoid_sum(x, weight, bias, **dims):
    out = np.zeros((dims["batch_size"], 1))
    for feature in range(dims["hidden_size"]):
        out[:, 0] += sigmoid(x @ weight[:, feature] + bias[feature])
    return out


def matmul_swish_scaling(x, weight, bias, **dims):
    return dims["scaling_factor"] * swish(x @ weight + bias)


def matmul_dropout_softmax(x, weight, bias, **_dims):
    """Dropout does nothing at inference."""
    return row_by_row(softmax_of_row, feature_by_feature(x, weight) + bias)


def gemm_group_norm_min_bias_add(x, weight, linear_bias, gn_weight, gn_bias, bias, **dims):
    rows = feature_by_feature(x, weight) + linear_bias
    normalized = group_norm(rows, dims["num_groups"], dims["eps"]) * gn_weight + gn_bias
    out = np.empty((1, dims["out_features"], dims["batch_size"], 1))
    for row in range(dims["batch_size"]):
        out[0, :, row, 0] = min(normalized[row]) + bias[0, :, 0, 0]
    return out


def gemm_add_relu(x, weight, bias, **_dims):
    rows = x @ weight + bias
    return np.where(rows > 0, rows, 0)


def gemm_max_subtract_gelu(x, weight, bias, **_dims):
    return row_by_row(lambda row: gelu_tanh(row - max(row)), x @ weight + bias)


def running_batch_norm(rows, scale, bias, mean, variance, eps):
    """Normalizes each feature by statistics that are given."""
    out = np.empty_like(rows)
    for feature in range(rows.shape[1]):
        centred = rows[:, feature] - mean[feature]
        out[:, feature] = scale[feature] * centred / math.sqrt(variance[feature] + eps) + bias[feature]
    return out


def gemm_batch_norm_scaling_softmax(x, weight, bias, bn_scale, bn_bias, bn_mean, bn_var, scale, **dims):
    normalized = running_batch_norm(x @ weight + bias, bn_scale, bn_bias, bn_mean, bn_var, dims["bn_eps"])
    return row_by_row(softmax_of_row, scale[0] * normalized)


def matmul_divide_gelu(x, weight, bias, **dims):
    return gelu_tanh((x @ weight + bias) / dims["divisor"])


def gemm_group_norm_swish_multiply_swish(x, gemm_weight, gemm_bias, gn_weight, gn_bias, multiply_weight, **dims):
    rows = feature_by_feature(x, gemm_weight) + gemm_bias
    normalized = group_norm(rows, dims["num_groups"], dims["eps"]) * gn_weight + gn_bias
    return swish(swish(normalized) * multiply_weight)


def matmul_add_swish_tanh_gelu_hardtanh(x, weight, bias, add_value, **_dims):
    activated = gelu_tanh(np.tanh(swish(x @ weight + bias + add_value)))
    return np.minimum(np.maximum(activated, -1), 1)


def matmul_batch_norm_bias_add_divide_swish(x, weight, linear_bias, bn_scale, bn_bias, bn_mean, bn_var, bias, **dims):
    normalized = running_batch_norm(x @ weight + linear_bias, bn_scale, bn_bias, bn_mean, bn_var, dims["bn_eps"])
    return swish((normalized + bias[0]) / dims["divide_value"])


def means_of_windows(row, size):
    return np.array([row[start : start + size].sum() / size for start in range(0, len(row), size)])


def matmul_gelu_avg_pool_scale_max(x, weight, bias, **dims):
    """The public version with GELU before the pooling, which otherwise collapses with the matmul."""
    activated = gelu_tanh(x @ weight + bias)
    return np.array([max(dims["scale_factor"] * means_of_windows(row, dims["pool_kernel_size"])) for row in activated])


def matmul_avg_pool_gelu_scale_max(x, weight, bias, **dims):
    pooled = row_by_row(lambda row: means_of_windows(row, dims["pool_kernel_size"]), x @ weight + bias)
    return np.array([max(dims["scale_factor"] * gelu_tanh(row)) for row in pooled])


def matmul_gelu_softmax(x, weight, bias, **_dims):
    return row_by_row(softmax_of_row, gelu_tanh(x @ weight + bias))


REFERENCES = {
    "19k_Matmul_Subtract_Multiply_ReLU": matmul_subtract_multiply_relu,
    "20k_Gemm_Multiply_LeakyReLU": gemm_multiply_leaky_relu,
    "21k_Gemm_Divide_Sum_Scaling": gemm_divide_positive_sum_scaling,
    "21k_Gemm_Divide_Sum_Scaling@public": gemm_divide_sum_scaling,
    "23k_Matmul_Sum_Max_AvgPool_LogSumExp_LogSumExp": matmul_grouped_reductions,
    "23k_Matmul_Sum_Max_AvgPool_LogSumExp_LogSumExp@public": matmul_sum_identities,
    "24k_Matmul_Scale_ResidualAdd_Clamp_LogSumExp_Mish": matmul_scale_residual_add_clamp_logsumexp_mish,
    "26k_BMM_InstanceNorm_Sum_ResidualAdd_Multiply": bmm_row_norm_residual_add_multiply,
    "26k_BMM_InstanceNorm_Sum_ResidualAdd_Multiply@public": bmm_instance_norm_residual_add_multiply,
    "27k_Matmul_Mish_Mish": matmul_mish_mish,
    "29k_Matmul_Swish_Sum_GroupNorm": matmul_swish_sum_group_norm,
    "30k_Matmul_Scaling_ResidualAdd": matmul_scaling_residual_add,
    "31k_Gemm_BatchNorm_GELU_ReLU": gemm_batch_norm_gelu_relu,
    "32k_Gemm_Sigmoid_LogSumExp": gemm_sigmoid_logsumexp,
    "35k_Gemm_Scaling_Hardtanh_GELU": gemm_scaling_hardtanh_gelu,
    "36k_Matmul_Sigmoid_Sum": matmul_sigmoid_sum,
    "37k_Matmul_Swish_Scaling": matmul_swish_scaling,
    "38k_Matmul_Dropout_Softmax": matmul_dropout_softmax,
    "40k_Gemm_GroupNorm_Min_BiasAdd": gemm_group_norm_min_bias_add,
    "41k_Gemm_Add_ReLU": gemm_add_relu,
    "42k_Gemm_Max_Subtract_GELU": gemm_max_subtract_gelu,
    "43k_Gemm_BatchNorm_Scaling_Softmax": gemm_batch_norm_scaling_softmax,
    "44k_Matmul_Divide_GELU": matmul_divide_gelu,
    "45k_Gemm_GroupNorm_Swish_Multiply_Swish": gemm_group_norm_swish_multiply_swish,
    "47k_Matmul_Add_Swish_Tanh_GELU_Hardtanh": matmul_add_swish_tanh_gelu_hardtanh,
    "48k_Matmul_BatchNorm_BiasAdd_Divide_Swish": matmul_batch_norm_bias_add_divide_swish,
    "49k_Matmul_AvgPool_GELU_Scale_Max": matmul_gelu_avg_pool_scale_max,
    "49k_Matmul_AvgPool_GELU_Scale_Max@public": matmul_avg_pool_gelu_scale_max,
    "50k_Matmul_GELU_Softmax": matmul_gelu_softmax,
}
