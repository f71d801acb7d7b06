import functools

import jax
import jax.numpy as jnp

EPSILON = 1e-6


def standardize(x, axis=-1):
    centred = x - jnp.mean(x, axis=axis, keepdims=True)
    return centred * jax.lax.rsqrt(jnp.mean(square(centred), axis=axis, keepdims=True) + EPSILON)


def square(x, *, order=2):
    if order < 1:
        raise ValueError(f"order is {order}, it must be at least 1")
    return x**order


def doubled(function):
    @functools.wraps(function)
    def twice(x):
        return 2 * function(x)

    return twice


@functools.partial(jax.jit, static_argnames="power")
@doubled
def halved(x, power=1):
    return x / 2**power


def scaled_by(factor):
    return lambda x: x * factor


def shifted(x, offset):
    return x + offset


@functools.singledispatch
def converted(x):
    return x


@converted.register
def converted_integer(x: int):
    return float(x)


tripled = scaled_by(3)
shifted_rows = jax.vmap(shifted, in_axes=(0, None))
one_more = functools.partial(shifted, offset=1)
