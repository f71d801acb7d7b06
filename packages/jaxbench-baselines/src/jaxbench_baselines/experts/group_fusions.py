"""Dense layers followed by operations over groups of neighbouring features, as epilogues of `fused_matmul`.

A group lies in the 128 lanes of a register, among which a vector unit adds up slowly. The matrix unit does it instead:
a product with a block-diagonal matrix gives each lane the mean of its group. At two passes of 128 terms it costs 3% of
a product over 8192.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax.experimental.pallas import tpu as pltpu
from jaxtyping import Array, Float

from jaxbench_baselines.experts.activations import gelu, swish
from jaxbench_baselines.experts.fused_matmul import Operands, Product, map_tiles, product, reduce_rows
from jaxbench_baselines.experts.row_statistics import Exponentials, Maximum, Minimum
from jaxbench_baselines.experts.tiling import LANES
from jaxbench_baselines.settings import read_settings

X = Float[Array, "batch in_features"]
Weight = Float[Array, "in_features out_features"]
WeightOutIn = Float[Array, "out_features in_features"]
Vector = Float[Array, " out_features"]
Out = Float[Array, "batch out_features"]
Tile = Float[Array, "bm bn"]


def matmul_swish_sum_group_norm(
    x: X, weight: Weight, bias: Vector, gn_weight: Vector, gn_bias: Vector, *, num_groups: int, eps: float
) -> Out:
    """29k: Swish, bias and group norm."""
    of = _product(x, weight)
    size = of.shape[2] // num_groups

    def epilogue(z: Tile, vectors: Operands) -> Tile:
        b, gain, shift = vectors
        return _standardized(swish(z) + b, size, eps) * gain + shift

    return map_tiles(of, epilogue, vectors=_float32(bias, gn_weight, gn_bias))


def gemm_group_norm_min_bias_add(
    x: X,
    weight: WeightOutIn,
    linear_bias: Vector,
    gn_weight: Vector,
    gn_bias: Vector,
    bias: Float[Array, "1 out_features 1 1"],
    *,
    num_groups: int,
    eps: float,
) -> Float[Array, "1 out_features batch 1"]:
    """40k: group norm and row minimum in the kernel; XLA adds the minima to the bias, every one to every one."""
    of = _product(x, weight, transposed=True)
    size = of.shape[2] // num_groups

    def activate(z: Tile, vectors: Operands) -> Tile:
        b, gain, shift = vectors
        return _standardized(z + b, size, eps) * gain + shift

    vectors = _float32(linear_bias, gn_weight, gn_bias)
    lowest = reduce_rows(of, Minimum(), activate, lambda values: values[0], vectors=vectors, dtype=jnp.float32)
    return (lowest[None, None] + bias.astype(jnp.float32)).astype(x.dtype)


def gemm_group_norm_swish_multiply_swish(
    x: X,
    gemm_weight: WeightOutIn,
    gemm_bias: Vector,
    gn_weight: Vector,
    gn_bias: Vector,
    multiply_weight: Vector,
    *,
    num_groups: int,
    eps: float,
) -> Out:
    """45k: group norm, Swish, multiplication, Swish."""
    of = _product(x, gemm_weight, transposed=True)
    size = of.shape[2] // num_groups

    def epilogue(z: Tile, vectors: Operands) -> Tile:
        b, gain, shift, factor = vectors
        return swish(swish(_standardized(z + b, size, eps) * gain + shift) * factor)

    return map_tiles(of, epilogue, vectors=_float32(gemm_bias, gn_weight, gn_bias, multiply_weight))


def avg_pool_gelu_scale_max(
    x: X, weight: Weight, bias: Vector, *, pool_kernel_size: int, scale_factor: float
) -> Float[Array, " batch"]:
    """49k: GELU, means over windows, scaling and row maximum."""

    def activate(z: Tile, vectors: Operands) -> Tile:
        return _means(gelu(z + vectors[0]), pool_kernel_size) * scale_factor

    largest = reduce_rows(_product(x, weight), Maximum(), activate, lambda values: values[0], vectors=_float32(bias))
    return largest[:, 0]


def sum_max_avg_pool_log_sum_exp(
    x: X, weight: WeightOutIn, bias: Vector, *, group_size: int
) -> Float[Array, "batch 1"]:
    """23k: maxima of groups, their sums and means over ever larger groups, and the logsumexp of all that is left.

    A logsumexp of logsumexps is one of everything. Each mean is in every lane of its group, so the sum of the
    exponentials is divided by the group's size.
    """
    pooled = group_size**3

    def activate(z: Tile, vectors: Operands) -> Tile:
        first = largest = z + vectors[0]
        for distance in range(1, group_size):
            largest = jnp.maximum(largest, _rolled(first, distance))
        return _means(largest, pooled, every=group_size) * group_size

    def finish(values: Operands) -> jax.Array:
        return values[0] + jnp.log(values[1] / pooled)

    of = _product(x, weight, transposed=True)
    return reduce_rows(of, Exponentials(), activate, finish, vectors=_float32(bias))


def _product(x: X, weight: Weight | WeightOutIn, *, transposed: bool = False) -> Product:
    settings = read_settings("bm", "bn", "rows_at_once")
    return product(
        x, weight, bm=settings["bm"], bn=settings["bn"], at_once=settings["rows_at_once"], transposed=transposed
    )


def _float32(*vectors: Vector) -> tuple[Vector, ...]:
    return tuple(vector.astype(jnp.float32) for vector in vectors)


def _standardized(tile: Tile, size: int, epsilon: float) -> Tile:
    """Returns the tile with mean 0 and variance 1 in each group of `size` lanes."""
    centred = tile - _means(tile, size)
    return centred * jax.lax.rsqrt(_means(centred * centred, size) + epsilon)


def _means(tile: Tile, size: int, every: int = 1) -> Tile:
    """Returns for each lane the mean of its group of `size`, over the last lane of every `every`; the rest counts not.

    The operands are split into two bfloat16 parts, 16 bits of significand together; a power of two is exact.
    """
    row = jax.lax.broadcasted_iota(jnp.int32, (LANES, LANES), 0)
    column = jax.lax.broadcasted_iota(jnp.int32, (LANES, LANES), 1)
    counted = (row // size == column // size) & (row % every == every - 1)
    matrix = jnp.where(counted, every / size, 0.0).astype(jnp.bfloat16)

    def of_lanes(lanes: jax.Array) -> jax.Array:
        high = lanes.astype(jnp.bfloat16)
        low = (lanes - high.astype(jnp.float32)).astype(jnp.bfloat16)
        parts = (jnp.dot(part, matrix, preferred_element_type=jnp.float32) for part in (high, low))
        return sum(parts, jnp.zeros(lanes.shape))

    return _by_lanes(tile, of_lanes)


def _rolled(tile: Tile, distance: int) -> Tile:
    """Returns the tile with each lane holding what the lane `distance` before it had, in circles of 128."""
    return _by_lanes(tile, lambda lanes: pltpu.roll(lanes, distance, 1))


def _by_lanes(tile: Tile, function: Callable[[jax.Array], jax.Array]) -> Tile:
    starts = range(0, tile.shape[1], LANES)
    return jnp.concatenate([function(tile[:, start : start + LANES]) for start in starts], axis=1)
