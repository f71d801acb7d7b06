import jax
import numpy as np
import pytest

from jaxbench_harness.input_distributions import (
    Cancelling,
    Constant,
    Normal,
    OutlierElements,
    SpreadRows,
    Uniform,
    with_cancelling,
)

DIMS = {"K": 64}
SHAPE = (400, 256)
COUNT = SHAPE[0] * SHAPE[1]
EVERY = [Normal(), Uniform(), Constant(2.5), SpreadRows(), OutlierElements(), Cancelling(Normal(), 0, 2.0)]
RANDOM = [distribution for distribution in EVERY if not isinstance(distribution, Constant)]

each = pytest.mark.parametrize("distribution", EVERY, ids=lambda distribution: type(distribution).__name__)
each_random = pytest.mark.parametrize("distribution", RANDOM, ids=lambda distribution: type(distribution).__name__)


def _draw(distribution, seed=0, shape=SHAPE):
    return np.asarray(distribution.draw(jax.random.key(seed), shape, DIMS, {}))


@each
def test_draws_have_the_shape_and_are_float32_and_finite(distribution):
    for shape in (SHAPE, (3, 5, 7), (1,)):
        values = _draw(distribution, shape=shape)
        assert values.shape == shape
        assert values.dtype == np.float32
        assert np.isfinite(values).all()


@each
def test_the_same_key_draws_the_same(distribution):
    np.testing.assert_array_equal(_draw(distribution, 3), _draw(distribution, 3))


@each_random
def test_another_key_draws_unrelated_values(distribution):
    first, second = _draw(distribution, 3), _draw(distribution, 4)
    # Ranks, since single outliers would rule a plain correlation.
    ranks = [np.argsort(np.argsort(values, axis=None)) for values in (first, second)]
    assert abs(np.corrcoef(*ranks)[0, 1]) < 5 / COUNT**0.5


@pytest.mark.parametrize(
    ("distribution", "mean", "std"),
    [
        (Normal(), 0, 1),
        (Normal(std="1/sqrt(K)", mean="K"), 64, 1 / 8),
        (Uniform(low=-1, high="K"), 31.5, 65 / 12**0.5),
        (OutlierElements(std=2, factor=10, share=0.25), 0, 2 * (0.75 + 0.25 * 100) ** 0.5),
    ],
    ids=str,
)
def test_mean_and_spread_are_as_declared(distribution, mean, std):
    values = _draw(distribution).astype(np.float64)
    assert abs(values.mean() - mean) < 5 * std / COUNT**0.5
    kurtosis = np.mean((values - values.mean()) ** 4) / values.var() ** 2
    assert abs(values.std() / std - 1) < 5 * ((kurtosis - 1) / 4 / COUNT) ** 0.5


def test_uniform_values_stay_in_their_range():
    values = _draw(Uniform(low=-3, high="K/16"))
    assert values.min() >= -3
    assert values.max() < 4
    assert values.min() < -2.9
    assert values.max() > 3.9


def test_a_constant_is_the_same_everywhere():
    np.testing.assert_array_equal(_draw(Constant("K/4")), np.full(SHAPE, 16, np.float32))


def test_normal_values_are_finer_than_bfloat16():
    values = _draw(Normal())
    assert len(np.unique(values)) > 0.9 * COUNT


def _row_scales(values):
    return np.log10(np.sqrt(np.mean(values.astype(np.float64) ** 2, axis=-1)))


def test_rows_differ_in_scale_over_the_declared_range():
    scales = _row_scales(_draw(SpreadRows(low_exponent=-2.5, high_exponent=1.0, outliers=0)))
    sampling = 5 * np.log10(np.e) / (2 * SHAPE[1]) ** 0.5
    assert scales.min() > -2.5 - sampling
    assert scales.max() < 1.0 + sampling
    quartiles = np.quantile(scales, [0.25, 0.5, 0.75])
    np.testing.assert_allclose(quartiles, [-1.625, -0.75, 0.125], atol=5 * 3.5 / 2 / SHAPE[0] ** 0.5)
    assert np.ptp(scales) > 3


def test_outlier_channels_are_few_evenly_spaced_and_as_large_as_declared():
    spread = SpreadRows(low_exponent=0, high_exponent=0, outliers=4, outlier_factor=20)
    scales = 10 ** _row_scales(_draw(spread).T)
    outliers = np.flatnonzero(scales > 5)
    np.testing.assert_array_equal(outliers, [32, 96, 160, 224])
    ordinary = np.delete(scales, outliers)
    sampling = 5 / (2 * SHAPE[0]) ** 0.5
    assert np.abs(ordinary - 1).max() < sampling
    assert np.abs(scales[outliers] / 20 - 1).max() < sampling


def test_no_outliers_leave_no_channel_apart():
    scales = 10 ** _row_scales(_draw(SpreadRows(low_exponent=0, high_exponent=0, outliers=0)).T)
    assert np.abs(scales - 1).max() < 5 / (2 * SHAPE[0]) ** 0.5


def test_more_outliers_than_channels_make_every_channel_one():
    values = _draw(SpreadRows(low_exponent=0, high_exponent=0, outliers=10, outlier_factor=100), shape=(2000, 3))
    assert np.all(10 ** _row_scales(values.T) > 90)


def test_outlier_elements_have_the_declared_share():
    share = 1 / 64
    values = np.abs(_draw(OutlierElements(factor=1e6, share=share)))
    found = np.mean(values > 1e3)
    # A normal value is within 0.001 of zero with a chance of 0.0008, and no ordinary one reaches 1000.
    assert abs(found - share) < 5 * (share / COUNT) ** 0.5 + 0.001 * share


K = 256
OPERANDS = {"a": Normal(), "b": Normal("1/sqrt(K)")}


def _operands(inputs, names=("a", "b")):
    keys = jax.random.split(jax.random.key(3), 2)
    shapes = ((512, K), (K, 512))
    return [np.asarray(inputs[n].draw(k, s, {"K": K}, {})) for n, k, s in zip(names, keys, shapes, strict=True)]


def test_cancelling_slices_are_large_and_leave_nothing_in_a_product():
    plain, cancelling = with_cancelling({"standard": OPERANDS}, "4*sqrt(K)", a=1, b=0).values()
    a, b = _operands(cancelling)
    first, second = K // 8, K - 1 - K // 8
    np.testing.assert_array_equal(a[:, first], a[:, second])
    np.testing.assert_array_equal(b[first], -b[second])
    # Terms of standard deviation 16 * 4, 64 times that of the product.
    terms = np.outer(a[:, first], b[first])
    assert abs(terms.std() / 64 - 1) < 0.15
    kept = np.delete(np.arange(K), [first, second])
    np.testing.assert_allclose(a @ b, a[:, kept] @ b[kept], atol=1e-3)
    a0, b0 = _operands(plain)
    np.testing.assert_array_equal(a[:, kept], a0[:, kept])
    np.testing.assert_array_equal(b[kept], b0[kept])


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_cancelling_takes_any_axis(axis):
    values = np.moveaxis(_draw(Cancelling(Normal(), axis, 2.0, -1), shape=(16, 24)), axis, 0)
    extent = values.shape[0]
    np.testing.assert_array_equal(values[extent // 8], -values[extent - 1 - extent // 8])


def test_a_contraction_has_two_operands():
    with pytest.raises(ValueError, match=r"two operands, got \['a'\]"):
        with_cancelling({"standard": OPERANDS}, 1, a=1)
