"""12p_RMSNorm with a kernel that uses the hardware's random bits, which only the TPU interpreter can run."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

ROWS = 64


def kernel(x_ref, scale, o_ref):
    pltpu.prng_seed(pl.program_id(0))
    zero = pltpu.prng_random_bits(x_ref.shape) & 0
    x = x_ref[...].astype(jnp.float32) + zero.astype(jnp.float32)
    mean_square = jnp.mean(x * x, axis=-1, keepdims=True)
    o_ref[...] = (x * lax.rsqrt(mean_square + 1e-5)).astype(o_ref.dtype) * scale[...]


def workload(x, scale):
    width = x.shape[-1]
    flat = x.reshape(-1, width)
    out = pl.pallas_call(
        kernel,
        grid=(flat.shape[0] // ROWS,),
        in_specs=[pl.BlockSpec((ROWS, width), lambda i: (i, 0)), pl.BlockSpec((1, width), lambda i: (0, 0))],
        out_specs=pl.BlockSpec((ROWS, width), lambda i: (i, 0)),
        out_shape=jax.ShapeDtypeStruct(flat.shape, x.dtype),
        name="random_bits_rmsnorm",
    )(flat, scale.reshape(1, width))
    return out.reshape(x.shape)
