"""Makes the tracer export a Program that gives the memory of its inputs away.

trick: 40
outcome: reject
stage: guard
code: donated_input
"""

import functools

import jax
import jax.numpy as jnp

jit = jax.jit


@functools.wraps(jit)
def donating(function, **options):
    if getattr(function, "__name__", "") == "workload":
        options["donate_argnums"] = (0,)
    return jit(function, **options)


jax.jit = donating


def workload(x, y):
    return jnp.dot(x, y[:, : x.shape[1]], preferred_element_type=jnp.float32).astype(x.dtype)
