"""Dense layers followed by operations on single elements, as epilogues of `fused_matmul`."""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from jaxbench_baselines.experts.activations import gelu, mish, swish
from jaxbench_baselines.experts.fused_matmul import Activation, Operands, map_tiles, product
from jaxbench_baselines.settings import read_settings

X = Float[Array, "batch in_features"]
Weight = Float[Array, "in_features out_features"]
Vector = Float[Array, " out_features"]
Out = Float[Array, "batch out_features"]


def gemm(A: Weight, B: Weight) -> Out:  # noqa: N803
    """The product alone."""
    return _fused(A, B, _as_it_is, ())


def ragged_dot(x: Float[Array, "groups rows K"], weights: Float[Array, "groups K N"]) -> Float[Array, "groups rows N"]:
    """14p: products of groups that are all of one size, which are blocks of rows with weights of their own."""
    groups, rows, depth = x.shape
    return _fused(x.reshape(groups * rows, depth), weights, _as_it_is, ()).reshape(groups, rows, -1)


def swiglu_mlp(
    x: Float[Array, "batch seq emb"], gate: Weight, up: Weight, down: Weight
) -> Float[Array, "batch seq emb"]:
    """9p: the gate's product with Swish, the up product times it, and the down product, which is left to XLA.

    All of the hidden features in one step, as `fused_matmul` wants them, do not fit in VMEM.
    """
    tokens = x.reshape(-1, x.shape[-1])
    settings = read_settings("bm", "bn", "rows_at_once", "lag")
    gated = _fused(tokens, gate, lambda z, _: swish(z), ())
    of = product(tokens, up, bm=settings["bm"], bn=settings["bn"], at_once=settings["rows_at_once"])
    hidden = map_tiles(of, lambda z, v: z * v[0].astype(jnp.float32), tiles=(gated,), lag=settings["lag"])
    return (hidden @ down).reshape(x.shape)


def matmul_subtract_multiply_relu(
    x: X, weight: Weight, bias: Vector, *, subtract_value: float, multiply_value: float
) -> Out:
    """19k: subtraction, scaling and ReLU."""
    return _fused(x, weight, lambda z, v: jnp.maximum((z + v[0] - subtract_value) * multiply_value, 0), (bias,))


def gemm_multiply_leaky_relu(x: X, weight: Weight, bias: Vector, *, multiplier: float, negative_slope: float) -> Out:
    """20k: scaling and leaky ReLU."""

    def epilogue(z: jax.Array, vectors: Operands) -> jax.Array:
        y = (z + vectors[0]) * multiplier
        return jnp.where(y >= 0, y, negative_slope * y)

    return _fused(x, weight, epilogue, (bias,))


def matmul_mish_mish(x: X, weight: Weight, bias: Vector) -> Out:
    """27k: Mish twice."""
    return _fused(x, weight, lambda z, v: mish(mish(z + v[0])), (bias,))


def matmul_scaling_residual_add(x: X, weight: Weight, bias: Vector, *, scaling_factor: float) -> Out:
    """30k: scaling and residual addition."""
    return _fused(x, weight, lambda z, v: (z + v[0]) * scaling_factor + (z + v[0]), (bias,))


def gemm_scaling_hardtanh_gelu(
    x: X, weight: Weight, bias: Vector, *, scaling_factor: float, hardtanh_min: float, hardtanh_max: float
) -> Out:
    """35k: scaling, clipping and GELU."""
    return _fused(
        x, weight, lambda z, v: gelu(jnp.clip((z + v[0]) * scaling_factor, hardtanh_min, hardtanh_max)), (bias,)
    )


def matmul_swish_scaling(x: X, weight: Weight, bias: Vector, *, scaling_factor: float) -> Out:
    """37k: Swish and scaling."""
    return _fused(x, weight, lambda z, v: swish(z + v[0]) * scaling_factor, (bias,))


def gemm_add_relu(x: X, weight: Weight, bias: Vector) -> Out:
    """41k: ReLU."""
    return _fused(x, weight, lambda z, v: jnp.maximum(z + v[0], 0), (bias,))


def matmul_divide_gelu(x: X, weight: Weight, bias: Vector, *, divisor: float) -> Out:
    """44k: division and GELU."""
    return _fused(x, weight, lambda z, v: gelu((z + v[0]) * (1 / divisor)), (bias,))


def matmul_add_swish_tanh_gelu_hardtanh(x: X, weight: Weight, bias: Vector, add_value: Vector) -> Out:
    """47k: addition, Swish, tanh, GELU and clipping; what comes out of tanh is within the clip's limits after GELU."""
    return _fused(x, weight, lambda z, v: jnp.clip(gelu(jnp.tanh(swish(z + v[0] + v[1]))), -1, 1), (bias, add_value))


def matmul_batch_norm_bias_add_divide_swish(
    x: X,
    weight: Weight,
    linear_bias: Vector,
    bn_scale: Vector,
    bn_bias: Vector,
    bn_mean: Vector,
    bn_var: Vector,
    bias: Float[Array, "1"],
    *,
    bn_eps: float,
    divide_value: float,
) -> Out:
    """48k: the batch norm of inference as gain and shift per feature, which also take bias and division; Swish."""
    gain, shift = folded_batch_norm(linear_bias, bn_scale, bn_bias, bn_mean, bn_var, bn_eps)
    shift = (shift + bias.astype(jnp.float32)) / divide_value
    return _fused(x, weight, lambda z, v: swish(z * v[0] + v[1]), (gain / divide_value, shift))


def folded_batch_norm(
    bias: Vector, scale: Vector, shift: Vector, mean: Vector, variance: Vector, epsilon: float
) -> tuple[Vector, Vector]:
    """Returns gain and shift in float32: the batch norm of `z + bias` is `z * gain + shift`."""
    bias, scale, shift, mean, variance = (v.astype(jnp.float32) for v in (bias, scale, shift, mean, variance))
    gain = scale * jax.lax.rsqrt(variance + epsilon)
    return gain, (bias - mean) * gain + shift


def _as_it_is(tile: jax.Array, _: Operands) -> jax.Array:
    return tile


def _fused(x: X, weight: Weight, epilogue: Activation, vectors: Sequence[Vector]) -> Out:
    settings = read_settings("bm", "bn", "rows_at_once", "lag")

    def in_float32(tile: jax.Array, rows: Operands) -> jax.Array:
        return epilogue(tile, tuple(row.astype(jnp.float32) for row in rows))

    of = product(x, weight, bm=settings["bm"], bn=settings["bn"], at_once=settings["rows_at_once"])
    return map_tiles(of, in_float32, vectors=vectors, lag=settings["lag"])
