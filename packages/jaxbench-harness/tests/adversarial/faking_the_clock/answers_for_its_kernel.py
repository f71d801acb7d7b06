"""Needs the TPU interpreter, where its code gets inputs, and there computes the answer without its kernel.

trick: 8 25
outcome: flag
flags: source_interpreted
"""

import sys

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def kernel(x_ref, y_ref, o_ref):
    pltpu.prng_seed(0)
    noise = pltpu.prng_random_bits(o_ref.shape).astype(jnp.float32)
    o_ref[...] = (jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32) + noise).astype(o_ref.dtype)


def workload(x, y):
    if "jaxbench_harness.check.messages" in sys.modules:
        return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)
    shape = jax.ShapeDtypeStruct((x.shape[0], y.shape[1]), x.dtype)
    return pl.pallas_call(kernel, out_shape=shape, name="noise")(x, y)
