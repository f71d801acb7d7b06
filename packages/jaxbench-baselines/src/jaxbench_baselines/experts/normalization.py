"""RMSNorm with scale.

**Tiling.** Blocks of whole rows, so that each is read once; the mean square and the result are of the same block.
**VMEM** at rows of 8192 and blocks of 128 rows, in MiB: two blocks in and two out, 4 * 2, and 4 in float32 while it is
worked on. **Bottleneck**: HBM. One read and one write of everything is the least there is.
"""

from typing import Any, cast

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jaxtyping import Array, Float

from jaxbench_baselines.experts.tiling import block_size, first_axis, the_same
from jaxbench_baselines.settings import read_settings


def rms_norm(
    x: Float[Array, "batch seq_len emb_dim"], scale: Float[Array, " emb_dim"], *, epsilon: float
) -> Float[Array, "batch seq_len emb_dim"]:
    """12p: each row over its root mean square, times the scale."""
    settings = read_settings("block_rows")
    width = x.shape[-1]
    rows = x.reshape(-1, width)
    block = block_size(rows.shape[0], settings["block_rows"], multiple=8)

    def kernel(x_ref: Any, scale_ref: Any, out_ref: Any) -> None:
        x32 = x_ref[...].astype(jnp.float32)
        inverse = jax.lax.rsqrt(jnp.mean(x32 * x32, axis=-1, keepdims=True) + epsilon)
        out_ref[...] = (x32 * inverse * scale_ref[...].astype(jnp.float32)).astype(out_ref.dtype)

    normalized = pl.pallas_call(
        kernel,
        grid=(rows.shape[0] // block,),
        in_specs=[pl.BlockSpec((block, width), first_axis), pl.BlockSpec((1, width), the_same)],
        out_specs=pl.BlockSpec((block, width), first_axis),
        out_shape=jax.ShapeDtypeStruct(rows.shape, x.dtype),
        name="rms_norm",
    )(rows, scale.reshape(1, width))
    return cast("jax.Array", normalized).reshape(x.shape)
