"""The same meaning: other docstrings, comments, annotations, line breaks and things that are not used."""

import functools

import jax
import jax.numpy as jnp

EPSILON: float = 1e-6
AXES: tuple[int, ...] = (0, 1)
ORDER = 2
UNUSED = 6


def not_used(x):
    return x + UNUSED


def square(x: jax.Array, order: int = ORDER) -> jax.Array:
    # A comment.
    return x**order


@functools.cache
def halved(
    x: "jax.Array",
) -> "jax.Array":
    """Halves."""
    return x / 2


TABLE = {
    "square": square,
    "names": ["a", "b"],
}


def reference(
    x: jax.Array,
    *,
    axis: int,
) -> jax.Array:
    """Computes something else, says this docstring.

    It has two paragraphs.
    """
    # Comments do not count.
    total: jax.Array = jnp.sum(
        TABLE["square"](x),
        axis=AXES,
    )
    return halved(total) + EPSILON + axis
