"""Input distributions of the public benchmark.

They are reproduced with their faults, since published times were measured on them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import jax
import jax.numpy as jnp

from jaxbench_harness.formulas import Dims, Formula, evaluate, evaluate_int
from jaxbench_harness.input_distributions import Drawn


@dataclass(frozen=True)
class PublicNormal:
    """Normal values drawn in bfloat16, as the public generator draws them.

    Only 128 different values come out, from -2.89 to 2.52 standard deviations, with a mean of -0.012 standard
    deviations. Where it meets inputs in [0, 1), that mean shifts a product over 8192 features by 48 standard deviations
    of the weights.
    """

    std: Formula = 1.0
    mean: Formula = 0.0

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Returns bfloat16 values as float32; see `Distribution`."""
        del drawn
        values = jax.random.normal(key, shape, jnp.bfloat16) * evaluate(self.std, dims) + evaluate(self.mean, dims)
        return values.astype(jnp.float32)


@dataclass(frozen=True)
class PublicUniform:
    """Uniform values in [0, 1) drawn in bfloat16, as the public generator draws them: multiples of 1/128."""

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Returns bfloat16 values as float32; see `Distribution`."""
        del dims, drawn
        return jax.random.uniform(key, shape, jnp.bfloat16).astype(jnp.float32)


@dataclass(frozen=True)
class Integers:
    """Independent integers, uniform in [0, high)."""

    high: Formula

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Draws int32; see `Distribution`."""
        del drawn
        return jax.random.randint(key, shape, 0, evaluate_int(self.high, dims), jnp.int32)


@dataclass(frozen=True)
class OrderedPages:
    """Page table in which the pages stand in order: attention may read the pool as one dense array."""

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Returns int32 of shape (sequence, page of the sequence); see `Distribution`."""
        del key, dims, drawn
        return jnp.arange(prod(shape), dtype=jnp.int32).reshape(shape)


@dataclass(frozen=True)
class PermutedPages:
    """Page table that holds every page once, in random order."""

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Draws int32 of shape (sequence, page of the sequence); see `Distribution`."""
        del dims, drawn
        return jax.random.permutation(key, jnp.arange(prod(shape), dtype=jnp.int32)).reshape(shape)


class PublicBatch(NamedTuple):
    """Query and key counts of the active sequences of ragged paged attention; the same in every draw."""

    query_lens: Sequence[int]
    kv_lens: Sequence[int]


def public_batch(dims: Dims) -> PublicBatch:
    """Returns the batch of the public benchmark, carried over to other sizes.

    At full size these are decodes of 257 + 16 * ((73 i) mod 240) keys, and chunks of 512 queries (the last of 464) of
    prompts of 1023, 1535, ..., 4095 and 4095 keys.

    Args:
        dims: Dims of the size.
    """
    decodes, prefills, chunk = (evaluate_int(name, dims) for name in ("num_decodes", "num_prefills", "chunk_len"))
    page_size, pages = evaluate_int("page_size", dims), evaluate_int("pages_per_seq", dims)
    first_pages = pages // 16
    last_chunk = evaluate_int("max_num_batched_tokens", dims) - decodes - chunk * (prefills - 1)
    decode_keys = [1 + page_size * (first_pages + 73 * i % (pages - first_pages)) for i in range(decodes)]
    prefill_keys = [min(chunk * (i + 2), pages * page_size) - 1 for i in range(prefills)]
    return PublicBatch([1] * decodes + [chunk] * (prefills - 1) + [last_chunk], decode_keys + prefill_keys)


@dataclass(frozen=True)
class PublicKeyCounts:
    """Keys per sequence of the public batch, 0 in inactive slots."""

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Returns int32 of one axis; see `Distribution`."""
        del key, drawn
        kv_lens = jnp.array(public_batch(dims).kv_lens, jnp.int32)
        return jnp.pad(kv_lens, (0, shape[0] - kv_lens.size))


@dataclass(frozen=True)
class PublicQueryStarts:
    """First query row of each sequence of the public batch, then the number of rows, repeated in inactive slots."""

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Returns int32 of one axis; see `Distribution`."""
        del key, drawn
        ends = jnp.cumsum(jnp.array(public_batch(dims).query_lens, jnp.int32))
        return jnp.pad(jnp.pad(ends, (1, 0)), (0, shape[0] - 1 - ends.size), mode="edge").astype(jnp.int32)
