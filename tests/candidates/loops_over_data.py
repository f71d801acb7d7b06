"""Right, but how often its loop runs is decided by a value of the input."""

import jax
import jax.numpy as jnp


def workload(x, scale):
    def norm(_, __):
        wide = x.astype(jnp.float32)
        rms = jax.lax.rsqrt(jnp.mean(wide * wide, axis=-1, keepdims=True) + 1e-5)
        return (wide * rms).astype(x.dtype) * scale

    times = 1 + (jnp.abs(x.ravel()[0]) > 1e30).astype(jnp.int32)
    return jax.lax.fori_loop(0, times, norm, jnp.zeros_like(x))
