"""The dense product with an epilogue, under the TPU interpreter, against NumPy in float64.

Blocks are a fraction of every axis, so that each test goes through several rows and columns of tiles. Memory that was
not written reads as NaN.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.pallas import tpu as pltpu

from jaxbench_baselines.experts.fused_matmul import map_tiles, normalize_rows, product, reduce_rows
from jaxbench_baselines.experts.row_statistics import (
    Exponentials,
    ExponentialsAndSum,
    Maximum,
    Minimum,
    Moments,
    Sum,
)
from jaxbench_baselines.experts.tiling import block_size

M, K, N = 256, 128, 512


@pytest.fixture(autouse=True)
def interpreter():
    params = pltpu.InterpretParams(uninitialized_memory="nan", out_of_bounds_reads="raise")
    with pltpu.force_tpu_interpret_mode(params):
        yield


def values(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def cut(weight, **others):
    return product(jnp.asarray(X), jnp.asarray(weight), bm=128, bn=128, at_once=64, **others)


X, WEIGHT, BIAS = values(0, M, K), values(1, K, N), values(2, N)
EXPECTED = X.astype(np.float64) @ WEIGHT.astype(np.float64)


@pytest.mark.parametrize("lag", [0, 1])
@pytest.mark.parametrize("transposed", [False, True])
def test_every_tile_gets_its_epilogue(lag, transposed):
    of = cut(WEIGHT.T if transposed else WEIGHT, transposed=transposed)
    residual = values(3, M, N)
    got = map_tiles(
        of, lambda z, v: (z + v[0]) * v[1], vectors=(jnp.asarray(BIAS),), tiles=(jnp.asarray(residual),), lag=lag
    )
    np.testing.assert_allclose(got, (EXPECTED + BIAS) * residual, atol=1e-3)


def test_groups_of_rows_have_weights_of_their_own():
    weights = values(4, 2, K, N)
    got = map_tiles(cut(weights), lambda z, _: z)
    expected = np.concatenate([X[:128] @ weights[0], X[128:] @ weights[1]])
    np.testing.assert_allclose(got, expected, atol=1e-3)


@pytest.mark.parametrize(
    ("statistic", "expected"),
    [
        (Sum(), EXPECTED.sum(-1)),
        (Maximum(), EXPECTED.max(-1)),
        (Minimum(), EXPECTED.min(-1)),
    ],
    ids=["sum", "maximum", "minimum"],
)
def test_rows_are_reduced(statistic, expected):
    got = reduce_rows(cut(WEIGHT), statistic, lambda z, _: z, lambda values: values[0])
    np.testing.assert_allclose(got[:, 0], expected, atol=1e-2)


def test_a_log_sum_exp_does_not_overflow_and_a_column_takes_part():
    """Products up to 40 times larger: exp overflows float32 unless the largest element is subtracted."""
    labels = np.arange(M) % N
    of = product(jnp.asarray(X * 40), jnp.asarray(WEIGHT), bm=128, bn=128, at_once=128)
    got = reduce_rows(
        of,
        ExponentialsAndSum(),
        lambda z, v: (z, jnp.where(v[0] == v[1], z, 0)),
        lambda values: values[0] + jnp.log(values[1]) - values[2],
        vectors=(jnp.arange(N),),
        columns=(jnp.asarray(labels)[:, None],),
    )
    z = EXPECTED * 40
    shifted = z - z.max(-1, keepdims=True)
    expected = np.log(np.exp(shifted).sum(-1)) + z.max(-1) - z[np.arange(M), labels]
    np.testing.assert_allclose(got[:, 0], expected, rtol=1e-3, atol=1e-2)


def test_a_softmax_is_of_whole_rows():
    def finish(z, values, _):
        return jnp.exp(z - values[0]) / values[1]

    got = normalize_rows(cut(WEIGHT), Exponentials(), lambda z, v: z + v[0], finish, before=(jnp.asarray(BIAS),))
    expected = np.exp(EXPECTED + BIAS - (EXPECTED + BIAS).max(-1, keepdims=True))
    np.testing.assert_allclose(got, expected / expected.sum(-1, keepdims=True), atol=1e-5)


def test_moments_normalize_whole_rows():
    def finish(z, values, operands):
        mean = values[0] / N
        return (z - mean) * jax.lax.rsqrt(values[1] / N - mean * mean) * operands[0]

    got = normalize_rows(cut(WEIGHT), Moments(), lambda z, _: z, finish, after=(jnp.asarray(BIAS),))
    expected = (EXPECTED - EXPECTED.mean(-1, keepdims=True)) / EXPECTED.std(-1, keepdims=True) * BIAS
    np.testing.assert_allclose(got, expected, atol=1e-3)


def test_a_flipped_result_has_the_rows_of_the_product_as_columns():
    gain = values(5, M, 1)

    def finish(z, values, operands):
        return (z - values[0] / N) * operands[0]

    got = normalize_rows(cut(WEIGHT), Moments(), lambda z, _: z, finish, tiles=(jnp.asarray(gain),), flipped=True)
    expected = (EXPECTED - EXPECTED.mean(-1, keepdims=True)) * gain
    np.testing.assert_allclose(got, expected.T, atol=1e-3)


@pytest.mark.parametrize(
    ("extent", "wanted", "block"),
    [(8192, 1024, 1024), (1024, 1024, 512), (896, 512, 128), (128, 512, 128), (136, 512, 136), (128256, 768, 768)],
)
def test_blocks_divide_the_extent_and_leave_two_steps_where_they_can(extent, wanted, block):
    assert block_size(extent, wanted) == block
