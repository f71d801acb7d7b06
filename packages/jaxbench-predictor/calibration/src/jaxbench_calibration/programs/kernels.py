"""Pallas kernels that ship in this JAX, in the shapes and block sizes that were published.

Block sizes that were not published are searched for: every configuration is a program of its own, `fitted` marks the
one that stands for the published time.
"""

import functools
import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.pallas.ops.tpu import flash_attention as flash
from jax.experimental.pallas.ops.tpu import matmul as tiled
from jax.experimental.pallas.ops.tpu.paged_attention import paged_attention_kernel as paged
from jax.experimental.pallas.ops.tpu.ragged_paged_attention import kernel as ragged
from jax.experimental.pallas.ops.tpu.splash_attention import splash_attention_kernel as splash
from jax.experimental.pallas.ops.tpu.splash_attention import splash_attention_mask as masks

from jaxbench_calibration.programs.program import Built, Program
from jaxbench_calibration.programs.words import packed_words_of, words_of

# The package hides the module behind a function of the same name.
grouped = importlib.import_module("jax.experimental.pallas.ops.tpu.megablox.gmm")

_BF16 = jnp.bfloat16
_Blocks = tuple[int, ...]


def kernel_programs() -> list[Program]:
    """Returns the published kernels, in all configurations that are tried."""
    return [*_flash(), *_splash_2p(), *_splash_4p(), *_paged(), *_ragged(), *_matmul(), *_grouped(), *_latent()]


def _expert(
    workload: str,
    blocks: _Blocks,
    chosen: _Blocks,
    build: Callable[..., Built],
    note: str = "",
    *,
    slower: float = 1.0,
    **contents: Callable[..., Mapping[Any, Sequence[int]]],
) -> Program:
    """Makes a program of one configuration; `contents` are functions of the block sizes, too."""
    return Program(
        f"{workload}/expert/{'-'.join(map(str, blocks))}",
        workload,
        "optimized",
        functools.partial(build, *blocks),
        fitted=blocks == chosen,
        slower=slower,
        note=note,
        **{name: functools.partial(content, *blocks) for name, content in contents.items()},
    )


def _shape(*dims: int, dtype: object = _BF16) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(dims, dtype)


def _flash() -> Iterator[Program]:
    for blocks in ((2048, 2048, 1024), (1024, 1024, 1024), (1024, 2048, 1024), (1024, 1024, 512), (512, 1024, 1024)):
        yield _expert("1p_Flash_Attention", blocks, (2048, 2048, 1024), _flash_attention)


def _flash_attention(q: int, k_major: int, k: int) -> Built:
    sizes = flash.BlockSizes(block_q=q, block_k_major=k_major, block_k=k, block_b=1)

    def function(query: jax.Array, key: jax.Array, value: jax.Array) -> jax.Array:
        return flash.flash_attention(query, key, value, causal=True, sm_scale=128**-0.5, block_sizes=sizes)

    return function, [_shape(4, 64, 4096, 128)] * 3


def _causal(heads: int, length: int, q: int, kv: int, compute: int) -> splash.SplashAttentionKernel:
    with jax.ensure_compile_time_eval():
        return splash.make_splash_mha(
            masks.MultiHeadMask([masks.CausalMask((length, length))] * heads),
            block_sizes=splash.BlockSizes(block_q=q, block_kv=kv, block_kv_compute=compute),
            head_shards=1,
            q_seq_shards=1,
        )


def _mask_arrays(kernel: splash.SplashAttentionKernel) -> list[np.ndarray]:
    return [np.asarray(leaf) for leaf in jax.tree.leaves(kernel)]


def _mask_specs(kernel: splash.SplashAttentionKernel) -> list[jax.ShapeDtypeStruct]:
    return [jax.ShapeDtypeStruct(array.shape, array.dtype) for array in _mask_arrays(kernel)]


def _with_masks(kernel: splash.SplashAttentionKernel, arrays: Sequence[jax.Array]) -> splash.SplashAttentionKernel:
    return jax.tree.unflatten(jax.tree.structure(kernel), arrays)


def _mask_operands(heads: int, length: int, *blocks: int) -> Mapping[str, Sequence[int]]:
    """Returns the two small arrays that say which blocks to visit; they are the first operands of the kernel."""
    arrays = [array for array in _mask_arrays(_causal(heads, length, *blocks)) if array.ndim == 3]
    return {
        f"input {i} s8[{','.join(map(str, array.shape))}]": packed_words_of(array) for i, array in enumerate(arrays)
    }


def _splash_2p() -> Iterator[Program]:
    for blocks in ((2048, 2048, 1024), (1024, 1024, 512), (1024, 1024, 1024), (2048, 2048, 512), (512, 1024, 512)):
        yield _expert(
            "2p_GQA_Attention",
            blocks,
            (2048, 2048, 1024),
            _grouped_splash,
            "keys and values repeated for each head; the masks are parameters instead of constants",
            operands=functools.partial(_mask_operands, 128, 4096),
        )


def _grouped_splash(*blocks: int) -> Built:
    kernel = _causal(128, 4096, *blocks)

    def function(query: jax.Array, key: jax.Array, value: jax.Array, *arrays: jax.Array) -> jax.Array:
        attend = _with_masks(kernel, arrays)
        by_head = query.swapaxes(1, 2)
        key, value = (jnp.repeat(array.swapaxes(1, 2), 16, axis=1) for array in (key, value))
        return jax.vmap(attend)(by_head, key, value).swapaxes(1, 2)

    return function, [_shape(4, 4096, 128, 128), *[_shape(4, 4096, 8, 128)] * 2, *_mask_specs(kernel)]


def _splash_4p() -> Iterator[Program]:
    for blocks in ((2048, 2048, 1024), (1024, 1024, 512), (1024, 1024, 1024)):
        yield _expert(
            "4p_Sparse_Attention",
            blocks,
            (2048, 2048, 1024),
            _plain_splash,
            "keys and values repeated for each head; block sizes by search; "
            "the masks are parameters instead of constants",
            operands=functools.partial(_mask_operands, 64, 4096),
        )


def _plain_splash(*blocks: int) -> Built:
    kernel = _causal(64, 4096, *blocks)

    def function(query: jax.Array, key: jax.Array, value: jax.Array, *arrays: jax.Array) -> jax.Array:
        key, value = (jnp.repeat(array, 8, axis=1) for array in (key, value))
        return jax.vmap(_with_masks(kernel, arrays))(query, key, value)

    return function, [_shape(4, 64, 4096, 128), *[_shape(4, 8, 4096, 128)] * 2, *_mask_specs(kernel)]


def _paged() -> Iterator[Program]:
    for blocks in ((128,), (64,), (32,), (16,)):
        yield _expert("6p_Paged_Attention", blocks, (128,), _paged_attention, "every page is full", words=_page_words)


def _paged_attention(pages: int) -> Built:
    def function(
        query: jax.Array, k_pages: jax.Array, v_pages: jax.Array, lengths: jax.Array, table: jax.Array
    ) -> jax.Array:
        return paged.paged_attention(query, k_pages, v_pages, lengths, table, pages_per_compute_block=pages)

    pool = _shape(8, 16384, 16, 128)
    return function, [_shape(64, 64, 128), pool, pool, _shape(64, dtype=jnp.int32), _shape(64, 256, dtype=jnp.int32)]


def _page_words(_: int) -> Mapping[int, Sequence[int]]:
    table = np.arange(64 * 256, dtype=np.int32).reshape(64, 256)
    return {3: words_of(np.full(64, 4096, np.int32)), 4: words_of(table)}


def _ragged() -> Iterator[Program]:
    for blocks in ((32, 64), (32, 32), (32, 128)):
        yield _expert(
            "7p_Ragged_Paged_Attention",
            blocks,
            (32, 64),
            _ragged_attention,
            "the batch that was measured, all sequences active; queries per block by search",
            words=_ragged_words,
            operands=_ragged_operands,
        )


def _ragged_attention(pages: int, queries: int) -> Built:
    def function(
        query: jax.Array,
        kv_pages: jax.Array,
        lengths: jax.Array,
        table: jax.Array,
        starts: jax.Array,
    ) -> jax.Array:
        return ragged.ragged_paged_attention(
            query,
            kv_pages,
            lengths,
            table,
            starts,
            jnp.array([64], jnp.int32),
            sm_scale=128**-0.5,
            num_kv_pages_per_block=pages,
            num_queries_per_block=queries,
            vmem_limit_bytes=100 * 2**20,
        )

    ints = functools.partial(_shape, dtype=jnp.int32)
    return function, [_shape(4096, 64, 128), _shape(16384, 16, 16, 128), ints(64), ints(64, 256), ints(65)]


def _ragged_words(*_: int) -> Mapping[int, Sequence[int]]:
    table = np.arange(64 * 256, dtype=np.int32).reshape(64, 256)
    arrays = (np.full(64, 4096, np.int32), table, np.arange(0, 4097, 64, dtype=np.int32))
    return {position: words_of(array) for position, array in enumerate(arrays, start=2)}


def _ragged_operands(*_: int) -> Mapping[str, Sequence[int]]:
    return {"input 3 s32[2]": [0, 0]}


def _matmul() -> Iterator[Program]:
    yield _expert("8p_GEMM", (1024, 2048, 1024), (1024, 2048, 1024), _tiled_matmul)


def _tiled_matmul(rows: int, columns: int, k: int) -> Built:
    def function(a: jax.Array, b: jax.Array) -> jax.Array:
        return tiled.matmul(a, b, block_shape=(rows, columns), block_k=k)

    return function, [_shape(8192, 8192), _shape(8192, 28672)]


_GROUPS = 128
_ROWS = 32768


def _grouped() -> Iterator[Program]:
    for blocks, slower in (((256, 1024, 1024), 1.0), ((128, 512, 512), 2.786)):
        yield _expert(
            "11p_Megablox_GMM",
            blocks,
            blocks,
            _grouped_matmul,
            "the kernel takes its group metadata as parameters; what computes them runs beside it",
            slower=slower,
            words=_group_words,
        )


def _group_metadata(rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns offsets of groups, and group and tile of each step, for groups of equal size."""
    size = _ROWS // _GROUPS
    steps = _ROWS // rows
    slots = steps + _GROUPS - 1
    offsets = np.arange(0, _ROWS + 1, size, dtype=np.int32)
    tiles = np.minimum(np.arange(slots), steps - 1).astype(np.int32)
    return offsets, (tiles * rows // size).astype(np.int32), tiles


def _grouped_matmul(rows: int, k: int, columns: int) -> Built:
    compute = grouped.make_group_metadata

    def function(lhs: jax.Array, rhs: jax.Array, sizes: jax.Array, *metadata: jax.Array) -> tuple[jax.Array, ...]:
        with mock.patch.object(grouped, "make_group_metadata", return_value=(metadata, _ROWS // rows)):
            result = grouped.gmm.__wrapped__(
                lhs, rhs, sizes, preferred_element_type=jnp.float32, tiling=(rows, k, columns)
            )
        computed = compute(
            group_sizes=sizes,
            m=_ROWS,
            tm=rows,
            start_group=jnp.int32(0),
            num_nonzero_groups=_GROUPS,
            visit_empty_groups=False,
        )
        return result, *jax.tree.leaves(computed)

    specs = [jax.ShapeDtypeStruct(array.shape, array.dtype) for array in _group_metadata(rows)]
    sizes = _shape(_GROUPS, dtype=jnp.int32)
    return function, [
        _shape(_ROWS, 4096),
        _shape(_GROUPS, 4096, 1536),
        sizes,
        *specs,
    ]


def _group_words(rows: int, *_: int) -> Mapping[int, Sequence[int]]:
    return {position: words_of(array) for position, array in enumerate(_group_metadata(rows), start=3)}


def _latent() -> Iterator[Program]:
    for blocks in ((1024, 1024, 512), (2048, 2048, 1024), (1024, 1024, 1024)):
        yield _expert(
            "3p_MLA_Attention",
            blocks,
            (),
            _latent_splash,
            "not fitted: our own composition of projections, heads padded to 256 and splash attention",
            operands=functools.partial(_mask_operands, 128, 2048),
        )


def _rotate(features: jax.Array) -> jax.Array:
    width = features.shape[-1]
    frequency = 10000.0 ** (-jnp.arange(0, width, 2, dtype=jnp.float32) / width)
    angle = jnp.arange(features.shape[1], dtype=jnp.float32)[:, None, None] * frequency
    first, second = jnp.split(features.astype(jnp.float32), 2, axis=-1)
    cos, sin = jnp.cos(angle), jnp.sin(angle)
    rotated = jnp.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)
    return rotated.astype(features.dtype)


def _latent_splash(*blocks: int) -> Built:
    kernel = _causal(128, 2048, *blocks)

    def function(
        x: jax.Array,
        q_down: jax.Array,
        q_up: jax.Array,
        kv_down: jax.Array,
        k_up: jax.Array,
        v_up: jax.Array,
        out: jax.Array,
        *arrays: jax.Array,
    ) -> jax.Array:
        by_head = (*x.shape[:2], 128, -1)
        query = jnp.dot(jnp.dot(x, q_down), q_up).reshape(by_head)
        down = jnp.dot(x, kv_down)
        latent, shared = down[..., :512], _rotate(down[..., None, 512:])
        key, value = jnp.dot(latent, k_up).reshape(by_head), jnp.dot(latent, v_up).reshape(by_head)
        query = jnp.concatenate([query[..., :128], _rotate(query[..., 128:])], axis=-1) * 192**-0.5
        key = jnp.concatenate([key, jnp.broadcast_to(shared, (*key.shape[:3], 64))], axis=-1)
        padded = (jnp.pad(array, [(0, 0)] * 3 + [(0, 256 - array.shape[-1])]) for array in (query, key, value))
        # Masks of one block would be loaded through vectors, as constants they are immediates.
        attend = _with_masks(kernel, arrays) if arrays else kernel
        attended = jax.vmap(attend)(*(array.swapaxes(1, 2) for array in padded))
        return jnp.dot(attended.swapaxes(1, 2)[..., :128].reshape(*x.shape[:2], -1), out)

    return function, [
        _shape(4, 2048, 7168),
        _shape(7168, 1536),
        _shape(1536, 24576),
        _shape(7168, 576),
        _shape(512, 16384),
        _shape(512, 16384),
        _shape(16384, 7168),
        *(_mask_specs(kernel) if blocks[0] < 2048 else ()),
    ]
