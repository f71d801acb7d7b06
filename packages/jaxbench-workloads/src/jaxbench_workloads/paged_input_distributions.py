"""Input distributions of paged attention: page pool, page table and lengths that fit each other.

All are parts of one batch, which is a function of the queries (drawn first), the dims and the name of the batch.
Every physical page is in the page table once, in random order. What no active sequence may read, the pages and slots
past its length, holds large finite garbage.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import jax
import jax.numpy as jnp

from jaxbench_harness.formulas import Dims, evaluate_int
from jaxbench_harness.input_distributions import Drawn
from jaxbench_workloads.input_distributions import shared_key

DecodeBatch = Literal["ragged", "short", "full"]
MixedBatch = Literal["mixed", "fresh", "partial"]


class Sequences(NamedTuple):
    """Query and key counts of the sequence slots, int32; both are 0 in inactive slots, which come last."""

    query_lens: jax.Array
    kv_lens: jax.Array


def decode_sequences(batch: DecodeBatch, key: jax.Array, dims: Dims) -> Sequences:
    """Returns sequences of one query each: the key counts of a batch for paged decode attention.

    Args:
        batch: `ragged`: 1, the capacity, the lengths around one page and around the capacity, and others uniform up
            to the capacity; in pairs with constant sum, so that every draw is the same amount of work. `short`: up to
            a slot over two pages. `full`: the capacity everywhere.
        key: PRNG key.
        dims: Dims of the size.
    """
    count, page_size = evaluate_int("num_seqs", dims), evaluate_int("page_size", dims)
    capacity = evaluate_int("page_size*pages_per_seq", dims)
    match batch:
        case "ragged":
            length_key, order_key = jax.random.split(key)
            edges = [1, capacity, page_size, page_size + 1, page_size - 1, capacity - 1][:count]
            kv_lens = jnp.array(edges, jnp.int32)
            kv_lens = jnp.concatenate([kv_lens, _in_pairs(length_key, count - len(edges), 1, capacity)])
            kv_lens = jax.random.permutation(order_key, kv_lens)
        case "short":
            kv_lens = jax.random.randint(key, (count,), 1, 2 * page_size + 2, jnp.int32)
        case "full":
            kv_lens = jnp.full(count, capacity, jnp.int32)
    return Sequences(jnp.ones_like(kv_lens), kv_lens)


def mixed_sequences(batch: MixedBatch, key: jax.Array, dims: Dims) -> Sequences:
    """Returns `num_decodes` sequences of one query and `num_prefills` chunks of a prompt, in random order.

    A chunk has `chunk_len` queries, the last one what is left of `max_num_batched_tokens`.

    Args:
        batch: `mixed`: decodes with 1 key, one page, the capacity, and others uniform up to the capacity; one chunk
            without history, the last chunk at the capacity, and others uniform. The others come in pairs with constant
            sum, so that every draw has the same `query_key_pairs`. `fresh`: no sequence has a history. `partial`:
            every other sequence of `mixed` alone is active; rows and slots are left over.
        key: PRNG key.
        dims: Dims of the size.
    """
    decode_key, prefill_key, order_key = jax.random.split(key, 3)
    slots, chunk = evaluate_int("max_num_seqs", dims), evaluate_int("chunk_len", dims)
    decodes, prefills = evaluate_int("num_decodes", dims), evaluate_int("num_prefills", dims)
    page_size, capacity = evaluate_int("page_size", dims), evaluate_int("page_size*pages_per_seq", dims)
    last = evaluate_int("max_num_batched_tokens - num_decodes - (num_prefills-1)*chunk_len", dims)
    query_lens = jnp.array([1] * decodes + [chunk] * (prefills - 1) + [last], jnp.int32)

    edges = [1, capacity, page_size][:decodes]
    decode_pairs = sum(edges) + (decodes - len(edges)) * (1 + capacity) // 2
    others = prefills - 2
    left = evaluate_int("query_key_pairs", dims) - decode_pairs - chunk * chunk - last * capacity
    centre = left // (chunk * others) if others else capacity
    spread = min(centre - chunk, capacity - centre)
    parts = (
        jnp.array(edges, jnp.int32),
        _in_pairs(decode_key, decodes - len(edges), 1, capacity),
        jnp.array([chunk], jnp.int32),
        _in_pairs(prefill_key, others, centre - spread, centre + spread),
        jnp.array([capacity], jnp.int32),
    )
    kv_lens = query_lens if batch == "fresh" else jnp.concatenate(parts)

    order = jax.random.permutation(order_key, decodes + prefills)
    if batch == "partial":
        order = order[::2]
    idle = slots - order.shape[0]
    return Sequences(jnp.pad(query_lens[order], (0, idle)), jnp.pad(kv_lens[order], (0, idle)))


def _in_pairs(key: jax.Array, count: int, low: int, high: int) -> jax.Array:
    """Draws int32 uniform in [low, high] so that first and last, second and second-last, ... sum to low + high."""
    half = jax.random.randint(key, (count // 2,), low, high + 1, jnp.int32)
    middle = jnp.full(count % 2, (low + high) // 2, jnp.int32)
    return jnp.concatenate([half, middle, low + high - half[::-1]])


def _sequences(batch: DecodeBatch | MixedBatch, dims: Dims, drawn: Drawn) -> Sequences:
    key = jax.random.fold_in(shared_key(drawn["queries"]), 0)
    if batch in ("ragged", "short", "full"):
        return decode_sequences(batch, key, dims)
    return mixed_sequences(batch, key, dims)


def _page_table(slots: int, pages_per_seq: int, drawn: Drawn) -> jax.Array:
    key = jax.random.fold_in(shared_key(drawn["queries"]), 1)
    pages = jnp.arange(slots * pages_per_seq, dtype=jnp.int32)
    return jax.random.permutation(key, pages).reshape(slots, pages_per_seq)


@dataclass(frozen=True)
class PagePool:
    """Page pool: normal values in the slots that the batch may read, garbage (also normal) in all others."""

    batch: DecodeBatch | MixedBatch
    garbage_std: float = 0.0
    garbage_mean: float = 64.0

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Draws float32 of shape (page, slot in page, head, feature); see `Distribution`."""
        pages, page_size = shape[:2]
        kv_lens = _sequences(self.batch, dims, drawn).kv_lens
        table = _page_table(kv_lens.shape[0], pages // kv_lens.shape[0], drawn)
        position = jnp.arange(table.shape[1] * page_size).reshape(table.shape[1], page_size)
        readable = jnp.zeros((pages, page_size), bool).at[table].set(position < kv_lens[:, None, None])
        values = jax.random.normal(key, shape)
        return jnp.where(readable[..., None, None], values, values * self.garbage_std + self.garbage_mean)


@dataclass(frozen=True)
class PageTable:
    """Page table of the batch: all pages in random order; what lies past a sequence's length holds garbage."""

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Returns int32 of shape (sequence, page of the sequence); see `Distribution`."""
        del key, dims
        slots, pages_per_seq = shape
        return _page_table(slots, pages_per_seq, drawn)


@dataclass(frozen=True)
class KeyCounts:
    """Keys per sequence of the batch."""

    batch: DecodeBatch | MixedBatch

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Returns int32 of one axis; see `Distribution`."""
        del key, shape
        return _sequences(self.batch, dims, drawn).kv_lens


@dataclass(frozen=True)
class QueryStarts:
    """First query row of each sequence of the batch, then the number of rows."""

    batch: DecodeBatch | MixedBatch

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Returns int32 of one axis; see `Distribution`."""
        del key, shape
        return jnp.pad(jnp.cumsum(_sequences(self.batch, dims, drawn).query_lens), (1, 0)).astype(jnp.int32)


@dataclass(frozen=True)
class SequenceCount:
    """Number of active sequences of the batch."""

    batch: DecodeBatch | MixedBatch

    def draw(self, key: jax.Array, shape: tuple[int, ...], dims: Dims, drawn: Drawn) -> jax.Array:
        """Returns int32 of shape (1,); see `Distribution`."""
        del key
        active = _sequences(self.batch, dims, drawn).query_lens > 0
        return jnp.sum(active, dtype=jnp.int32).reshape(shape)
