"""Activations in float32 with as few transcendental operations per element as their formulas allow."""

import jax
import jax.numpy as jnp


def sigmoid(x: jax.Array) -> jax.Array:
    """Returns 1 / (1 + exp(-x)) as (1 + tanh(x / 2)) / 2: one transcendental operation instead of two."""
    return 0.5 * jnp.tanh(0.5 * x) + 0.5


def swish(x: jax.Array) -> jax.Array:
    """Returns x * sigmoid(x)."""
    return x * sigmoid(x)


def gelu(x: jax.Array) -> jax.Array:
    """Returns the GELU in its tanh form."""
    return jax.nn.gelu(x, approximate=True)


def mish(x: jax.Array) -> jax.Array:
    """Returns x * tanh(log(1 + exp(x))).

    With e = exp(x) that tanh is n / (n + 2), n = e * (e + 2): no logarithm and no tanh. Beyond 20, where it is 1 in
    float32, the exponent is kept from overflowing.
    """
    e = jnp.exp(jnp.minimum(x, 20.0))
    n = e * (e + 2)
    return x * (n / (n + 2))
