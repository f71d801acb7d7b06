"""Starts to copy its block from HBM and multiplies without waiting for the copy, which would take time.

trick: 24
outcome: reject
stage: check
code: non_finite
says: in the run with race detection
config: races=1
"""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu


def kernel(x_hbm, y_ref, o_ref, x_ref, semaphore):
    pltpu.make_async_copy(x_hbm, x_ref, semaphore).start()
    o_ref[...] = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32).astype(o_ref.dtype)


def workload(x, y):
    return pl.pallas_call(
        kernel,
        in_specs=[pl.BlockSpec(memory_space=pl.ANY), pl.BlockSpec(memory_space=pltpu.VMEM)],
        out_shape=jax.ShapeDtypeStruct((x.shape[0], y.shape[1]), x.dtype),
        scratch_shapes=[pltpu.VMEM(x.shape, x.dtype), pltpu.SemaphoreType.DMA],
        name="product",
    )(x, y)
