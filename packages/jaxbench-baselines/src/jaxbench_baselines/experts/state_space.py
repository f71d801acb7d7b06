"""State-space duality of Mamba-2 as a scan over chunks (Dao and Gu, 2024, section 6), with normalized rows.

Within a chunk scores are computed as in attention; what came before it is a state of (head_dim, head_dim): the decayed
sum of key * value^T. Row sums are linear in the keys, so the state has one more column, the sum of the keys.

**Tiling.** A step takes one chunk of one head; the state stays in VMEM from chunk to chunk. **VMEM**: below 4 MiB at
chunks of 256. **Bottleneck**: the schedule. Products of 64 by 64 fill a sixteenth of the matrix unit, and a chunk is
a chain of small ones; it takes a fraction of the quadratic form's work all the same.
"""

from typing import Any, cast

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jaxtyping import Array, Float

from jaxbench_baselines.experts.tiling import LANES, batched_rows, block_size
from jaxbench_baselines.settings import read_settings

Heads = Float[Array, "batch num_heads seq_len head_dim"]


def state_space_duality(
    query: Heads,
    key: Heads,
    value: Heads,
    A_log: Float[Array, "batch num_heads seq_len"],  # noqa: N803
) -> Heads:
    """16p: the chunked scan. The logarithms of the decays, added up within each chunk, come from XLA."""
    batch, num_heads, seq_len, head_dim = query.shape
    chunk = block_size(seq_len, read_settings("chunk")["chunk"])
    heads, chunks = batch * num_heads, seq_len // chunk
    log_decay = jnp.log(jax.nn.sigmoid(A_log) + 1e-8).reshape(heads, chunks, 1, chunk)
    since_start = jnp.cumsum(log_decay, axis=-1)
    flat = (heads, seq_len, head_dim)
    rows = pl.BlockSpec((None, chunk, head_dim), batched_rows)
    out = pl.pallas_call(
        _chunk_kernel,
        grid=(heads, chunks),
        in_specs=[rows, rows, rows, pl.BlockSpec((None, None, 1, chunk), _of_chunk)],
        out_specs=rows,
        out_shape=jax.ShapeDtypeStruct(flat, query.dtype),
        scratch_shapes=[pltpu.VMEM((head_dim, LANES + head_dim), jnp.float32)],
        compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "arbitrary")),
        name="state_space_chunks",
    )(query.reshape(flat), key.reshape(flat), value.reshape(flat), since_start)
    return cast("jax.Array", out).reshape(query.shape)


def _of_chunk(head: jax.Array, i: jax.Array) -> tuple[Any, ...]:
    """Index map of the decays."""
    return head, i, 0, 0


def _chunk_kernel(q_ref: Any, k_ref: Any, v_ref: Any, decay_ref: Any, out_ref: Any, state_ref: Any) -> None:
    chunk = q_ref.shape[0]

    @pl.when(pl.program_id(1) == 0)
    def _() -> None:
        state_ref[...] = jnp.zeros_like(state_ref)

    q, k, v = q_ref[...], k_ref[...], v_ref[...]
    of_columns = decay_ref[...]  # (1, chunk), as logarithms since the chunk's start
    of_rows = jnp.broadcast_to(of_columns, (8, chunk)).T[:, :1]
    end = of_columns[:, chunk - 1 :]

    visible = lax.broadcasted_iota(jnp.int32, (chunk, chunk), 0) >= lax.broadcasted_iota(jnp.int32, (chunk, chunk), 1)
    scores = lax.dot_general(q, k, (((1,), (1,)), ((), ())), preferred_element_type=jnp.float32)
    weights = scores * jnp.exp(jnp.where(visible, of_rows - of_columns, -jnp.inf))
    # The state: LANES columns that hold the sum of the keys, then those of the values.
    from_before = _dot_float32(q, state_ref[...]) * jnp.exp(of_rows)
    total = jnp.sum(weights, axis=-1, keepdims=True) + from_before[:, :1]
    products = jnp.dot(weights.astype(v.dtype), v, preferred_element_type=jnp.float32) + from_before[:, LANES:]
    out_ref[...] = (products / jnp.maximum(jnp.abs(total), 1)).astype(out_ref.dtype)

    until_end = k.astype(jnp.float32) * jnp.exp(end - of_rows)
    added = jnp.concatenate([jnp.ones((chunk, LANES), v.dtype), v], axis=1)
    state_ref[...] = state_ref[...] * jnp.exp(end) + _dot_float32(until_end, added, over_rows=True)


def _dot_float32(a: jax.Array, b: jax.Array, *, over_rows: bool = False) -> jax.Array:
    """Returns a @ b, or a.T @ b; what is float32 is multiplied in two bfloat16 parts of 16 bits together."""
    dimensions = (((0 if over_rows else 1,), (0,)), ((), ()))
    products = [
        lax.dot_general(left, right, dimensions, preferred_element_type=jnp.float32)
        for left in _parts(a)
        for right in _parts(b)
    ]
    return sum(products[1:], products[0])


def _parts(array: jax.Array) -> list[jax.Array]:
    if array.dtype == jnp.bfloat16:
        return [array]
    high = array.astype(jnp.bfloat16)
    return [high, (array - high.astype(jnp.float32)).astype(jnp.bfloat16)]
