"""Dense layers followed by operations over whole rows, as epilogues of `fused_matmul`."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from jaxbench_baselines.experts.activations import gelu, mish, sigmoid
from jaxbench_baselines.experts.fused_matmul import (
    Activation,
    Operands,
    Product,
    map_tiles,
    normalize_rows,
    product,
    reduce_rows,
)
from jaxbench_baselines.experts.pointwise_fusions import folded_batch_norm
from jaxbench_baselines.experts.row_statistics import Exponentials, ExponentialsAndSum, Maximum, Moments, Sum
from jaxbench_baselines.settings import Settings, read_settings

X = Float[Array, "batch in_features"]
Weight = Float[Array, "in_features out_features"]
WeightOutIn = Float[Array, "out_features in_features"]
Vector = Float[Array, " out_features"]
Out = Float[Array, "batch out_features"]
Column = Float[Array, "batch 1"]

_SETTINGS = ("bm", "bn", "rows_at_once")


def matmul_dropout_softmax(x: X, weight: WeightOutIn, bias: Vector) -> Out:
    """38k: row softmax."""
    return _softmax(_product(x, weight, transposed=True), lambda z, v: z + v[0], (bias,))


def gemm_batch_norm_scaling_softmax(
    x: X,
    weight: Weight,
    bias: Vector,
    bn_scale: Vector,
    bn_bias: Vector,
    bn_mean: Vector,
    bn_var: Vector,
    scale: Float[Array, "1"],
    *,
    bn_eps: float,
) -> Out:
    """43k: the batch norm of inference and the scale as gain and shift per feature; row softmax."""
    gain, shift = folded_batch_norm(bias, bn_scale, bn_bias, bn_mean, bn_var, bn_eps)
    factor = scale.astype(jnp.float32)
    return _softmax(_product(x, weight), lambda z, v: z * v[0] + v[1], (gain * factor, shift * factor))


def matmul_gelu_softmax(x: X, weight: Weight, bias: Vector) -> Out:
    """50k: GELU and row softmax."""
    return _softmax(_product(x, weight), lambda z, v: gelu(z + v[0]), (bias,))


def gemm_max_subtract_gelu(x: X, weight: Weight, bias: Vector) -> Out:
    """42k: GELU of what each element is below the largest of its row."""

    def finish(z: jax.Array, values: Operands, _: Operands) -> jax.Array:
        return gelu(z - values[0])

    return normalize_rows(_product(x, weight), Maximum(), lambda z, v: z + v[0], finish, before=_float32(bias))


def instance_norm_residual_multiply(
    x: X, y: Out, bmm_weight: WeightOutIn, bmm_bias: Vector, in_weight: Vector, in_bias: Vector, *, eps: float
) -> Out:
    """26k: normalization of each row, then residual addition and multiplication."""
    of = _product(x, bmm_weight, transposed=True)
    width = of.shape[2]

    def finish(z: jax.Array, values: Operands, operands: Operands) -> jax.Array:
        gain, shift, residual = operands
        mean = values[0] / width
        variance = values[1] / width - mean * mean
        normalized = (z - mean) * jax.lax.rsqrt(variance + eps) * gain + shift
        residual = residual.astype(jnp.float32)
        return (normalized + residual) * residual

    return normalize_rows(
        of,
        Moments(),
        lambda z, v: z + v[0],
        finish,
        before=_float32(bmm_bias),
        after=_float32(in_weight, in_bias),
        tiles=(y,),
    )


def gemm_batch_norm_gelu_relu(
    x: X, gemm_weight: WeightOutIn, gemm_bias: Vector, bn_weight: Vector, bn_bias: Vector, *, eps: float
) -> Out:
    """31k: batch norm of training, GELU and ReLU.

    Statistics are per feature, so features are the rows of the product, and tiles are flipped when they are written.
    The batch norm removes the bias of the linear layer.
    """
    del gemm_bias
    of = _product(gemm_weight, x, transposed=True)
    batch = of.shape[2]

    def finish(z: jax.Array, values: Operands, operands: Operands) -> jax.Array:
        gain, shift = operands
        mean = values[0] / batch
        scale = jax.lax.rsqrt(values[1] / batch - mean * mean + eps) * gain
        return jnp.maximum(gelu((z - mean) * scale + shift), 0)

    columns = tuple(vector[:, None] for vector in _float32(bn_weight, bn_bias))
    return normalize_rows(of, Moments(), lambda z, _: z, finish, tiles=columns, flipped=True)


def gemm_divide_sum_scaling(x: X, weight: WeightOutIn, *, divisor: float, scaling_factor: float) -> Column:
    """21k: division, ReLU, row sum and scaling."""
    of = _product(x, weight, transposed=True)
    return reduce_rows(of, Sum(), lambda z, _: jnp.maximum(z, 0), lambda values: values[0] * (scaling_factor / divisor))


def matmul_sigmoid_sum(x: X, weight: Weight, bias: Vector) -> Column:
    """36k: sigmoid and row sum."""
    return reduce_rows(
        _product(x, weight), Sum(), lambda z, v: sigmoid(z + v[0]), lambda values: values[0], vectors=_float32(bias)
    )


def scale_residual_add_clamp_log_sum_exp_mish(
    x: X, weight: WeightOutIn, bias: Vector, *, scale_factor: float, clamp_min: float, clamp_max: float
) -> Column:
    """24k: scaling, doubling, clipping, row logsumexp, times its Mish."""

    def finish(values: Operands) -> jax.Array:
        summed = values[0] + jnp.log(values[1])
        return summed * mish(summed)

    return reduce_rows(
        _product(x, weight, transposed=True),
        Exponentials(),
        lambda z, v: jnp.clip((z + v[0]) * (2 * scale_factor), clamp_min, clamp_max),
        finish,
        vectors=_float32(bias),
    )


def gemm_sigmoid_log_sum_exp(
    x: X, w1: Float[Array, "hidden in_features"], b1: Float[Array, " hidden"], w2: WeightOutIn, b2: Vector
) -> Float[Array, " batch"]:
    """32k: one kernel per layer; the hidden features go through HBM."""
    first = ("first_bm", "first_bn", "first_rows_at_once")
    settings = read_settings(*_SETTINGS, *first)
    first_settings = {name.removeprefix("first_"): settings[name] for name in first}
    hidden = map_tiles(
        _cut(x, w1, first_settings, transposed=True), lambda z, v: sigmoid(z + v[0]), vectors=_float32(b1)
    )
    summed = reduce_rows(
        _cut(hidden, w2, settings, transposed=True),
        Exponentials(),
        lambda z, v: z + v[0],
        lambda values: values[0] + jnp.log(values[1]),
        vectors=_float32(b2),
    )
    return summed[:, 0]


def cross_entropy(hidden: X, weight: Weight, labels: Int[Array, " batch"]) -> Float[Array, ""]:
    """13p: logsumexp of the logits less the one at the label, which no other kernel keeps; the mean by XLA."""

    def activate(z: jax.Array, operands: Operands) -> tuple[jax.Array, jax.Array]:
        index, label = operands
        return z, jnp.where(index == label, z, 0)

    def finish(values: Operands) -> jax.Array:
        largest, total, of_label = values
        return largest + jnp.log(total) - of_label

    of = _product(hidden, weight)
    losses = reduce_rows(
        of,
        ExponentialsAndSum(),
        activate,
        finish,
        vectors=(jnp.arange(of.shape[2]),),
        columns=(labels[:, None],),
        dtype=jnp.float32,
    )
    return jnp.mean(losses)


def _softmax(of: Product, activate: Activation, vectors: tuple[Vector, ...]) -> Out:
    def finish(z: jax.Array, values: Operands, _: Operands) -> jax.Array:
        return jnp.exp(z - values[0]) * (1 / values[1])

    return normalize_rows(of, Exponentials(), activate, finish, before=_float32(*vectors))


def _product(x: X, weight: Weight | WeightOutIn, *, transposed: bool = False) -> Product:
    return _cut(x, weight, read_settings(*_SETTINGS), transposed=transposed)


def _cut(x: X, weight: Weight | WeightOutIn, settings: Settings, *, transposed: bool) -> Product:
    return product(
        x,
        weight,
        bm=settings["bm"],
        bn=settings["bn"],
        at_once=settings["rows_at_once"],
        transposed=transposed,
    )


def _float32(*vectors: Vector) -> tuple[Vector, ...]:
    return tuple(vector.astype(jnp.float32) for vector in vectors)
