"""Operations that references of several families have in common."""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


def standardize(x: Float[Array, "..."], axis: int | Sequence[int], epsilon: float) -> Float[Array, "..."]:
    """Returns `(x - mean) / sqrt(variance + epsilon)` over `axis`, in float32 and rounded once to the dtype of `x`."""
    x32 = x.astype(jnp.float32)
    centred = x32 - jnp.mean(x32, axis=axis, keepdims=True)
    variance = jnp.mean(centred * centred, axis=axis, keepdims=True)
    return (centred * jax.lax.rsqrt(variance + epsilon)).astype(x.dtype)


def standardize_groups(
    x: Float[Array, "batch channels ..."], num_groups: int, epsilon: float
) -> Float[Array, "batch channels ..."]:
    """Returns `x` standardized per row and group of consecutive channels, over all positions: group normalization."""
    return standardize(x.reshape(x.shape[0], num_groups, -1), -1, epsilon).reshape(x.shape)


def fixed_batch_norm(
    x: Float[Array, "batch features"],
    scale: Float[Array, " features"],
    bias: Float[Array, " features"],
    mean: Float[Array, " features"],
    variance: Float[Array, " features"],
    epsilon: float,
) -> Float[Array, "batch features"]:
    """Returns the batch normalization of inference, with the running mean and variance of each feature."""
    return scale * (x - mean) / jnp.sqrt(variance + epsilon) + bias
