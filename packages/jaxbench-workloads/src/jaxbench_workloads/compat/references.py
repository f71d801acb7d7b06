"""References of version 1 where version 2 has repaired the operation.

They say what the benchmark published. Each can be computed without most of its matrix multiplication.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from jaxbench_workloads.layers import standardize


def gemm_divide_sum_scaling(
    x: Float[Array, "batch_size input_size"],
    weight: Float[Array, "hidden_size input_size"],
    *,
    divisor: float,
    scaling_factor: float,
) -> Float[Array, "batch_size 1"]:
    """Returns the sum over the features of `(x @ weight.T) / divisor`, times `scaling_factor`."""
    return jnp.sum(jnp.dot(x, weight.T) / divisor, axis=-1, keepdims=True) * scaling_factor


def matmul_sum_max_avg_pool_log_sum_exp_log_sum_exp(
    x: Float[Array, "batch_size in_features"],
    weight: Float[Array, "out_features in_features"],
    bias: Float[Array, " out_features"],
) -> Float[Array, "batch_size 1"]:
    """Returns the sum over the features of `x @ weight.T + bias`; four reductions of that one value follow."""
    summed = jnp.sum(jnp.dot(x, weight.T) + bias, axis=-1, keepdims=True)
    pooled = jnp.mean(jnp.max(summed, axis=-1, keepdims=True), axis=-1, keepdims=True)
    return jax.nn.logsumexp(jax.nn.logsumexp(pooled, axis=-1, keepdims=True), axis=-1, keepdims=True)


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
    """Returns `(n + y) * y`, `n` being `x @ bmm_weight.T + bmm_bias` normalized over two axes of size 1: `in_bias`."""
    z = jnp.dot(x, bmm_weight.T) + bmm_bias
    instances = standardize(z[:, :, None, None], (2, 3), eps)[:, :, 0, 0]
    normalized = instances * in_weight + in_bias
    return (normalized + y) * y


def matmul_avg_pool_gelu_scale_max(
    x: Float[Array, "batch_size in_features"],
    weight: Float[Array, "in_features out_features"],
    bias: Float[Array, " out_features"],
    *,
    pool_kernel_size: int,
    scale_factor: float,
) -> Float[Array, " batch_size"]:
    """Returns the row maximum of the scaled GELU (tanh form) of means of `x @ weight + bias` over windows."""
    z = jnp.dot(x, weight) + bias
    pooled = jnp.mean(z.reshape(x.shape[0], -1, pool_kernel_size), axis=-1)
    return jnp.max(jax.nn.gelu(pooled, approximate=True) * scale_factor, axis=-1)
