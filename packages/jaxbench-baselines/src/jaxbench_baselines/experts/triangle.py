"""Gated triangle multiplication along outgoing edges, in three kernels that keep channels outermost between them.

1. **Gated projections.** The weights multiply the pairs from the left, so that left and right factors come out with
   channels first and no transpose is needed. The mask is applied to the products, where it is one number per lane.
2. **Triangles.** One dense product (N, N) @ (N, N) per channel; a step takes some rows and the whole other factor.
3. **Output.** Mean squares over the channels are sums over the outermost axis; the output projection contracts that
   axis, which puts the channels last again, and the gate is computed beside it.

**VMEM** at N = 1536, in MiB: the first about 8 at 2048 pairs a step; the second 2 * 4.5 for the whole factor, 4 * 2.3
for rows and output, 4.5 for the float32 products; the third about 10. **Bottleneck**: HBM in all three. They move nine
times the pair representation, 5.4 GB, against 1.2 GB of inputs and output: the sum over k needs all pairs of two rows
before one of it is known. XLA moves another 3.6 GB between them, as (C, N * N) and (C, N, N) are tiled otherwise.
"""

from typing import Any, cast

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jaxtyping import Array, Float

from jaxbench_baselines.experts.activations import sigmoid
from jaxbench_baselines.experts.tiling import batched_rows, batched_whole, block_size, first_axis, last_axis, the_same
from jaxbench_baselines.settings import read_settings

Matrix = Float[Array, "C C"]
Pairs = Float[Array, "C pairs"]
_FROM_LEFT = (((0,), (1,)), ((), ()))
"""weights (in, out) with rows (pairs, in): (out, pairs)."""
_FIRST_AXES = (((0,), (0,)), ((), ()))
"""(in, pairs) with weights (in, out): (pairs, out)."""
_VMEM = pltpu.CompilerParams(vmem_limit_bytes=96 * 2**20)


def triangle_multiplication(
    pair_act: Float[Array, "N N C"],
    mask: Float[Array, "N N 1"],
    left_proj_w: Matrix,
    right_proj_w: Matrix,
    left_gate_w: Matrix,
    right_gate_w: Matrix,
    center_scale: Float[Array, " C"],
    out_proj_w: Matrix,
    out_gate_w: Matrix,
    *,
    epsilon: float,
) -> Float[Array, "N N C"]:
    """17p: the three kernels one after another."""
    settings = read_settings("pairs", "rows", "out_pairs")
    side, _, channels = pair_act.shape
    pairs = pair_act.reshape(side * side, channels)
    weights = (left_proj_w, left_gate_w, right_proj_w, right_gate_w)
    left, right = _gated(pairs, mask.reshape(1, side * side), weights, settings["pairs"])
    of_channels = (channels, side, side)
    update = _triangles(left.reshape(of_channels), right.reshape(of_channels), settings["rows"])
    out = _projected(
        update.reshape(channels, side * side),
        pairs,
        center_scale.reshape(channels, 1),
        (out_proj_w, out_gate_w),
        epsilon,
        settings["out_pairs"],
    )
    return out.reshape(pair_act.shape)


def _gated(
    pairs: Float[Array, "pairs C"], mask: Float[Array, "1 pairs"], weights: tuple[Matrix, ...], wanted: int
) -> tuple[Pairs, Pairs]:
    """Returns the gated projections of both sides, channels first."""
    count, channels = pairs.shape
    block = block_size(count, wanted)

    def kernel(pairs_ref: Any, mask_ref: Any, *refs: Any) -> None:
        *weight_refs, left_ref, right_ref = refs
        factor = mask_ref[...].astype(jnp.float32)
        projection, gate, right_projection, right_gate = (
            lax.dot_general(weight[...], pairs_ref[...], _FROM_LEFT, preferred_element_type=jnp.float32) * factor
            for weight in weight_refs
        )
        left_ref[...] = (projection * sigmoid(gate)).astype(left_ref.dtype)
        right_ref[...] = (right_projection * sigmoid(right_gate)).astype(right_ref.dtype)

    whole = pl.BlockSpec((channels, channels), the_same)
    out = pl.BlockSpec((channels, block), last_axis)
    shape = jax.ShapeDtypeStruct((channels, count), pairs.dtype)
    gated = pl.pallas_call(
        kernel,
        grid=(count // block,),
        in_specs=[
            pl.BlockSpec((block, channels), first_axis),
            pl.BlockSpec((1, block), last_axis),
            *(whole for _ in weights),
        ],
        out_specs=(out, out),
        out_shape=(shape, shape),
        compiler_params=_VMEM,
        name="gated_projections",
    )(pairs, mask, *weights)
    return cast("tuple[jax.Array, jax.Array]", tuple(gated))


def _triangles(left: Float[Array, "C N N"], right: Float[Array, "C N N"], wanted: int) -> Float[Array, "C N N"]:
    """Returns the products of rows of `left` with rows of `right`, per channel."""
    channels, side, _ = left.shape
    block = block_size(side, wanted, steps=1)

    def kernel(left_ref: Any, right_ref: Any, out_ref: Any) -> None:
        dimensions = (((1,), (1,)), ((), ()))
        out_ref[...] = lax.dot_general(
            left_ref[...], right_ref[...], dimensions, preferred_element_type=jnp.float32
        ).astype(out_ref.dtype)

    rows = pl.BlockSpec((None, block, side), batched_rows)
    products = pl.pallas_call(
        kernel,
        grid=(channels, side // block),
        in_specs=[rows, pl.BlockSpec((None, side, side), batched_whole)],
        out_specs=rows,
        out_shape=jax.ShapeDtypeStruct(left.shape, left.dtype),
        compiler_params=_VMEM,
        name="triangles",
    )(left, right)
    return cast("jax.Array", products)


def _projected(
    update: Pairs,
    pairs: Float[Array, "pairs C"],
    scale: Float[Array, "C 1"],
    weights: tuple[Matrix, Matrix],
    epsilon: float,
    wanted: int,
) -> Float[Array, "pairs C"]:
    """Returns the normalized update, projected and gated by the pairs without mask."""
    count, channels = pairs.shape
    block = block_size(count, wanted)

    def kernel(
        update_ref: Any, pairs_ref: Any, scale_ref: Any, projection_ref: Any, gate_ref: Any, out_ref: Any
    ) -> None:
        update = update_ref[...].astype(jnp.float32)
        mean_square = jnp.mean(update * update, axis=0, keepdims=True)
        normalized = update * lax.rsqrt(mean_square + epsilon) * scale_ref[...].astype(jnp.float32)
        projected = lax.dot_general(
            normalized.astype(pairs_ref.dtype), projection_ref[...], _FIRST_AXES, preferred_element_type=jnp.float32
        )
        gate = jnp.dot(pairs_ref[...], gate_ref[...], preferred_element_type=jnp.float32)
        out_ref[...] = (projected * sigmoid(gate)).astype(out_ref.dtype)

    whole = pl.BlockSpec((channels, channels), the_same)
    of_pairs = pl.BlockSpec((block, channels), first_axis)
    out = pl.pallas_call(
        kernel,
        grid=(count // block,),
        in_specs=[
            pl.BlockSpec((channels, block), last_axis),
            of_pairs,
            pl.BlockSpec((channels, 1), the_same),
            whole,
            whole,
        ],
        out_specs=of_pairs,
        out_shape=jax.ShapeDtypeStruct(pairs.shape, pairs.dtype),
        compiler_params=_VMEM,
        name="normalized_projection",
    )(update, pairs, scale, *weights)
    return cast("jax.Array", out)
