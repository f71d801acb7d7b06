"""The definition that the other files of this folder differ from, each in one thing."""

import functools

import jax.numpy as jnp

EPSILON = 1e-6
AXES = (0, 1)
ORDER = 2
UNUSED = 5


def square(x, order=ORDER):
    return x**order


@functools.cache
def halved(x):
    return x / 2


TABLE = {"square": square, "names": ["a", "b"]}


def reference(x, *, axis):
    """Computes something."""
    total = jnp.sum(TABLE["square"](x), axis=AXES)
    return halved(total) + EPSILON + axis
