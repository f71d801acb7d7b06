"""What XLA was measured on where it differs from today's workload."""

from collections.abc import Mapping, Sequence

import jax
import jax.numpy as jnp

from jaxbench_calibration.programs.program import Built, Program
from jaxbench_harness.registry import find_workload

_BF16 = jnp.bfloat16


def variant_programs() -> list[Program]:
    """Returns the programs whose published XLA time is one of other shapes or semantics."""
    return [
        Program(
            "3p_MLA_Attention/xla",
            "3p_MLA_Attention",
            "baseline",
            _interleaved_latent_attention,
            operands=_every_other,
            note="rotary embedding of interleaved pairs, as measured",
        ),
        Program(
            "4p_Sparse_Attention/xla", "4p_Sparse_Attention", "baseline", _unbatched, note="one sequence, as measured"
        ),
        Program(
            "42k_Gemm_Max_Subtract_GELU/xla",
            "42k_Gemm_Max_Subtract_GELU",
            "baseline",
            _maximum_only,
            note="one value per row, as measured",
        ),
    ]


def _every_other() -> Mapping[str, Sequence[int]]:
    """Returns the positions of the features that are gathered; whether odd or even makes no difference to the time."""
    return {"input 1 s32[1024]": [*range(0, 64, 2), *[0] * 992]}


def _shape(*dims: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(dims, _BF16)


def _rotate_interleaved(features: jax.Array, theta: float) -> jax.Array:
    """Rotates features 2j and 2j + 1 by position * theta**(-2j / width); positions are axis 1."""
    width = features.shape[-1]
    frequency = theta ** (-jnp.arange(0, width, 2, dtype=jnp.float32) / width)
    angle = jnp.arange(features.shape[1], dtype=jnp.float32)[:, None, None] * frequency
    cos, sin = jnp.cos(angle).astype(features.dtype), jnp.sin(angle).astype(features.dtype)
    even, odd = features[..., ::2], features[..., 1::2]
    return jnp.stack([even * cos - odd * sin, odd * cos + even * sin], axis=-1).reshape(features.shape)


def _interleaved_latent_attention() -> Built:
    workload = find_workload("3p_MLA_Attention")
    dims = workload.size("full").dims
    heads, content, theta = int(dims["num_heads"]), int(dims["qk_nope_head_dim"]), float(dims["rope_theta"])

    def function(
        x: jax.Array,
        q_down: jax.Array,
        q_up: jax.Array,
        kv_down: jax.Array,
        k_up: jax.Array,
        v_up: jax.Array,
        out: jax.Array,
    ) -> jax.Array:
        by_head = (*x.shape[:2], heads, -1)
        query = jnp.dot(jnp.dot(x, q_down), q_up).reshape(by_head)
        down = jnp.dot(x, kv_down)
        latent, shared = down[..., : k_up.shape[0]], down[..., None, k_up.shape[0] :]
        key, value = jnp.dot(latent, k_up).reshape(by_head), jnp.dot(latent, v_up).reshape(by_head)
        rotated = _rotate_interleaved(query[..., content:], theta)
        shared = jnp.broadcast_to(_rotate_interleaved(shared, theta), rotated.shape)
        query = jnp.concatenate([query[..., :content], rotated], axis=-1).swapaxes(1, 2)
        key = jnp.concatenate([key, shared], axis=-1).swapaxes(1, 2)
        scores = jnp.matmul(query, key.swapaxes(2, 3)) * query.shape[-1] ** -0.5
        weights = jax.nn.softmax(jnp.where(jnp.tri(x.shape[1], dtype=bool), scores, -1e9), axis=-1)
        attended = jnp.matmul(weights, value.swapaxes(1, 2)).swapaxes(1, 2)
        return jnp.dot(attended.reshape(*x.shape[:2], -1), out)

    arrays = [spec.at(dims) for spec in workload.array_inputs]
    return function, [jax.ShapeDtypeStruct(array.shape, array.dtype) for array in arrays]


def _unbatched() -> Built:
    def function(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
        k, v = (jnp.repeat(array, q.shape[0] // array.shape[0], axis=0) for array in (k, v))
        scores = jnp.matmul(q, k.swapaxes(1, 2))
        weights = jax.nn.softmax(jnp.where(jnp.tri(q.shape[1], dtype=bool), scores, -1e30), axis=-1)
        return jnp.matmul(weights, v)

    return function, [_shape(64, 4096, 128), _shape(8, 4096, 128), _shape(8, 4096, 128)]


def _maximum_only() -> Built:
    def function(x: jax.Array, weight: jax.Array, bias: jax.Array) -> jax.Array:
        largest = jnp.max(jnp.dot(x, weight) + bias, axis=1, keepdims=True)
        return jax.nn.gelu(largest - jnp.mean(largest, axis=1, keepdims=True), approximate=True)

    return function, [_shape(4096, 8192), _shape(8192, 8192), _shape(8192)]
