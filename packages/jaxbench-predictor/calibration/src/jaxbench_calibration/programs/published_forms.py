"""Workloads whose reference is written, or defined, otherwise today than what was measured.

The form is chosen by the FLOPs that the compiler counted in the measured program, which were published beside its
time; never by the time.
"""

import jax
import jax.numpy as jnp

from jaxbench_calibration.programs.program import Built, Program
from jaxbench_harness.registry import find_workload

_BF16 = jnp.bfloat16


def published_forms() -> list[Program]:
    """Returns the programs, under the name of the reference that they stand for."""
    forms = {
        "2p_GQA_Attention": _repeated_heads,
        "13p_Cross_Entropy": _cross_entropy,
        "21k_Gemm_Divide_Sum_Scaling": _divided_sum,
        "23k_Matmul_Sum_Max_AvgPool_LogSumExp_LogSumExp": _five_reductions,
        "26k_BMM_InstanceNorm_Sum_ResidualAdd_Multiply": _norm_of_single_elements,
        "28k_ConvTranspose3d_LayerNorm_GELU_Scaling": _spread_out_convolution,
        "29k_Matmul_Swish_Sum_GroupNorm": _swish_group_norm,
        "33k_Conv3d_Mish_Tanh": _plain_mish,
        "40k_Gemm_GroupNorm_Min_BiasAdd": _group_norm_minimum,
        "45k_Gemm_GroupNorm_Swish_Multiply_Swish": _group_norm_swish,
        "49k_Matmul_AvgPool_GELU_Scale_Max": _pooled_gelu,
    }
    return [
        Program(
            f"{name}/xla",
            name,
            "baseline",
            build,
            note="as measured",
        )
        for name, build in forms.items()
    ]


def _shape(*dims: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(dims, _BF16)


def _specs(workload: str) -> list[jax.ShapeDtypeStruct]:
    """Returns the array inputs of a workload, whose shapes did not change."""
    found = find_workload(workload)
    arrays = [spec.at(found.size("full").dims) for spec in found.array_inputs]
    return [jax.ShapeDtypeStruct(array.shape, array.dtype) for array in arrays]


def _repeated_heads() -> Built:
    def function(query: jax.Array, key: jax.Array, value: jax.Array) -> jax.Array:
        key, value = (jnp.repeat(array, 16, axis=2).swapaxes(1, 2) for array in (key, value))
        scores = jnp.matmul(query.swapaxes(1, 2), key.swapaxes(2, 3)) * query.shape[-1] ** -0.5
        weights = jax.nn.softmax(jnp.where(jnp.tri(query.shape[1], dtype=bool), scores, -1e9), axis=-1)
        return jnp.matmul(weights, value).swapaxes(1, 2)

    return function, _specs("2p_GQA_Attention")


def _cross_entropy() -> Built:
    def function(hidden: jax.Array, weight: jax.Array, labels: jax.Array) -> jax.Array:
        log_probabilities = jax.nn.log_softmax(jnp.dot(hidden, weight), axis=-1)
        chosen = jax.nn.one_hot(labels, weight.shape[1]) * log_probabilities
        return -jnp.mean(jnp.sum(chosen, axis=-1))

    return function, _specs("13p_Cross_Entropy")


def _divided_sum() -> Built:
    def function(x: jax.Array, weight: jax.Array) -> jax.Array:
        product = jnp.matmul(x, weight.T, precision=jax.lax.Precision.HIGHEST)
        return jnp.sum(product / 2.0, axis=1, keepdims=True) * 1.5

    return function, [_shape(4096, 8192), _shape(8192, 8192)]


def _five_reductions() -> Built:
    def function(x: jax.Array, weight: jax.Array, bias: jax.Array) -> jax.Array:
        total = jnp.sum(jnp.dot(x, weight.T) + bias, axis=1, keepdims=True)
        mean = jnp.mean(jnp.max(total, axis=1, keepdims=True), axis=1, keepdims=True)
        return jax.nn.logsumexp(jax.nn.logsumexp(mean, axis=1, keepdims=True), axis=1, keepdims=True)

    return function, [_shape(4096, 8192), _shape(8192, 8192), _shape(8192)]


def _norm_of_single_elements() -> Built:
    def function(
        x: jax.Array, y: jax.Array, weight: jax.Array, bias: jax.Array, scale: jax.Array, shift: jax.Array
    ) -> jax.Array:
        z = (jnp.dot(x, weight.T) + bias)[:, :, None, None]
        mean = jnp.mean(z, axis=(2, 3), keepdims=True)
        variance = jnp.var(z, axis=(2, 3), keepdims=True)
        z = (z - mean) / jnp.sqrt(variance + 1e-5) * scale[None, :, None, None] + shift[None, :, None, None]
        return (z[:, :, 0, 0] + y) * y

    return function, [_shape(4096, 8192), _shape(4096, 8192), _shape(8192, 8192), *[_shape(8192)] * 3]


def _spread_out_convolution() -> Built:
    def function(x: jax.Array, weight: jax.Array, bias: jax.Array, scale: jax.Array, shift: jax.Array) -> jax.Array:
        spread = jnp.zeros((*x.shape[:2], *(2 * size - 1 for size in x.shape[2:])), x.dtype)
        spread = spread.at[:, :, ::2, ::2, ::2].set(x)
        kernel = jnp.flip(weight, (2, 3, 4)).swapaxes(0, 1)
        z = jax.lax.conv_general_dilated(
            spread, kernel, (1, 1, 1), [(2, 2)] * 3, dimension_numbers=("NCDHW", "OIDHW", "NCDHW")
        )
        z += bias[:, None, None, None]
        mean, variance = (reduce(z, axis=-1, keepdims=True) for reduce in (jnp.mean, jnp.var))
        return jax.nn.gelu((z - mean) / jnp.sqrt(variance + 1e-5) * scale + shift, approximate=True) * 1.0

    return function, _specs("28k_ConvTranspose3d_LayerNorm_GELU_Scaling")


def _plain_mish() -> Built:
    def function(x: jax.Array, weight: jax.Array, bias: jax.Array) -> jax.Array:
        z = jax.lax.conv_general_dilated(x, weight, (1, 1, 1), "VALID", dimension_numbers=("NCDHW", "OIDHW", "NCDHW"))
        z += bias[:, None, None, None]
        return jnp.tanh(z * jnp.tanh(jnp.log(1 + jnp.exp(z))))

    return function, _specs("33k_Conv3d_Mish_Tanh")


def _group_norm(x: jax.Array, groups: int, scale: jax.Array, shift: jax.Array) -> jax.Array:
    grouped = x.reshape(x.shape[0], groups, -1)
    mean = jnp.mean(grouped, axis=-1, keepdims=True)
    variance = jnp.var(grouped, axis=-1, keepdims=True)
    return ((grouped - mean) / jnp.sqrt(variance + 1e-5)).reshape(x.shape) * scale + shift


def _swish_group_norm() -> Built:
    def function(x: jax.Array, weight: jax.Array, bias: jax.Array, scale: jax.Array, shift: jax.Array) -> jax.Array:
        z = jnp.dot(x, weight)
        return _group_norm(jax.nn.sigmoid(z) * z + bias, 64, scale, shift)

    return function, [_shape(8192, 4096), _shape(4096, 4096), *[_shape(4096)] * 3]


def _group_norm_minimum() -> Built:
    def function(
        x: jax.Array, weight: jax.Array, linear: jax.Array, scale: jax.Array, shift: jax.Array, bias: jax.Array
    ) -> jax.Array:
        smallest = jnp.min(_group_norm(jnp.dot(x, weight.T) + linear, 512, scale, shift), axis=1, keepdims=True)
        return smallest + bias

    return function, [*[_shape(4096, 8192)], _shape(8192, 8192), *[_shape(8192)] * 3, _shape(1, 8192, 1, 1)]


def _group_norm_swish() -> Built:
    def function(
        x: jax.Array, weight: jax.Array, bias: jax.Array, scale: jax.Array, shift: jax.Array, factor: jax.Array
    ) -> jax.Array:
        z = _group_norm(jnp.dot(x, weight.T) + bias, 256, scale, shift)
        z = jax.nn.sigmoid(z) * z * factor
        return jax.nn.sigmoid(z) * z

    return function, [_shape(4096, 8192), _shape(8192, 8192), *[_shape(8192)] * 4]


def _pooled_gelu() -> Built:
    def function(x: jax.Array, weight: jax.Array, bias: jax.Array) -> jax.Array:
        z = jnp.dot(x, weight) + bias
        sums = jax.lax.reduce_window(z, jnp.zeros((), z.dtype), jax.lax.add, (1, 16), (1, 16), "VALID")
        pooled = sums / 16
        return jnp.max(jax.nn.gelu(pooled, approximate=True) * 2.0, axis=1)

    return function, [_shape(4096, 8192), _shape(8192, 8192), _shape(8192)]
