import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxbench_workloads.input_distributions import BetweenFloat8, PairMask

SHAPE = (64, 256)


@pytest.mark.parametrize("scaled_to_range", [False, True])
def test_float8_rounds_every_value_towards_zero_by_five_percent(scaled_to_range):
    values = np.asarray(BetweenFloat8(0.25).draw(jax.random.key(0), SHAPE, {}, {}))
    largest = float(jnp.finfo(jnp.float8_e4m3fn).max)
    scale = largest / np.abs(values).max(axis=1, keepdims=True) if scaled_to_range else 1.0
    rounded = np.asarray((values * scale).astype(jnp.float8_e4m3fn), np.float32) / scale
    np.testing.assert_allclose((rounded / values)[:, 1:], 1 / 1.0546875, rtol=1e-6)
    np.testing.assert_array_equal(values, values.astype(jnp.bfloat16).astype(np.float32))
    assert abs(np.sign(values[:, 1:]).mean()) < 5 / values.size**0.5


@pytest.mark.parametrize("padded", [True, False])
def test_pair_mask_keeps_its_share_and_pads_the_end(padded):
    mask = np.asarray(PairMask(0.5, padded=padded).draw(jax.random.key(0), (128, 128, 1), {}, {}))[..., 0]
    assert set(np.unique(mask)) == {0, 1}
    assert abs(mask[:120, :120].mean() - 0.5) < 5 * 0.5 / 120
    assert bool(mask[120:].any()) is bool(mask[:, 120:].any()) is not padded
