"""Prints a gigabyte, then goes on as if nothing were.

outcome: neutral
flags: no_pallas
"""

import os

import jax.numpy as jnp

chunk = b"\x1b[31mpassed " * 100_000
for _ in range(2**30 // len(chunk)):
    os.write(1, chunk)


def workload(x, y):
    return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)
