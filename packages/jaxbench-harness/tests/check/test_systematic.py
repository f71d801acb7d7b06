import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxbench_harness.check.systematic import MIN_BLOCK_ELEMENTS, STANDARD_ERRORS, blocks, fit, systematic_metrics


def _metrics(reference, output):
    return systematic_metrics(reference, output - reference, np.ones(reference.shape, bool))


def test_fit_equals_polyfit_with_robust_standard_errors():
    generator = np.random.default_rng(1)
    x = generator.normal(3, 1, size=200)
    e = 0.05 * x - 0.02 + generator.normal(size=200) * 0.1 * np.abs(x)
    design = np.stack([x - x.mean(), np.ones(200)], axis=1)
    (tilt, mean), *_ = np.linalg.lstsq(design, e)
    residual = e - design @ [tilt, mean]
    bread = np.linalg.inv(design.T @ design)
    sandwich = bread @ (design.T * residual**2) @ design @ bread * 200 / 198
    found = fit(x, e)
    assert found.slope == pytest.approx(1 + tilt)
    assert found.offset == pytest.approx(mean)
    excess = max(0, abs(tilt) - STANDARD_ERRORS * math.sqrt(sandwich[0, 0]))
    assert found.slope_excess == pytest.approx(excess)


def test_noise_alone_has_no_excess_in_nearly_all_draws():
    generator = np.random.default_rng(2)
    found = [fit(x, e) for x, e in generator.normal(size=(2000, 2, 1024)) * [[1], [0.05]]]
    assert np.mean([one.slope_excess > 0 for one in found]) < 0.002
    assert np.mean([one.offset_excess > 0 for one in found]) < 0.002
    assert max(one.slope_excess for one in found) < 0.002


@pytest.mark.parametrize("noise", [0.0, 0.02, 0.1])
def test_scale_and_offset_show_through_noise(noise):
    generator = np.random.default_rng(3)
    reference = generator.normal(size=(512, 1024))
    error = noise * generator.normal(size=reference.shape)
    assert _metrics(reference, 1.01 * reference + error)[0]["slope"] == pytest.approx(0.01, abs=0.001)
    assert _metrics(reference, reference + 0.01 + error)[0]["offset"] == pytest.approx(0.01, abs=0.001)


def test_the_block_with_the_wrong_scale_is_named():
    reference = np.random.default_rng(4).normal(size=(512, 1024))
    output = reference.copy()
    output[128:192, 256:384] *= 1.02
    values, notes = _metrics(reference, output)
    assert values["block_slope"] == pytest.approx(0.02)
    assert notes["block_slope"] == "in block [128:192, 256:384] the output is 1.02 x reference"


def test_flat_blocks_have_no_slope_but_an_offset():
    flat = np.full((64, 128), 2.0) + 1e-4 * np.random.default_rng(5).normal(size=(64, 128))
    values, _ = _metrics(flat, np.full((64, 128), 2.01))
    assert "slope" not in values
    assert "block_slope" not in values
    assert values["block_offset"] == pytest.approx(0.01, rel=0.01)
    assert math.isfinite(values["block_rms"])


def test_too_few_elements_have_neither():
    values, _ = _metrics(np.arange(31.0), np.arange(31.0) * 2)
    assert set(values) == {"block_rms"}


@given(st.lists(st.integers(0, 300), max_size=4).filter(lambda shape: math.prod(shape) <= 300_000))
def test_blocks_cover_every_element_once(shape):
    seen = np.zeros(shape, np.int8)
    for block in blocks(tuple(shape)):
        seen[block] += 1
        assert seen[block].size
    assert (seen == 1).all()


@pytest.mark.parametrize(
    ("shape", "extents"),
    [
        ((512, 1024), (64, 128)),
        ((2, 2, 256, 128), (1, 1, 64, 128)),
        ((2, 128, 14, 126), (1, 1, 14, 126)),
        ((8, 28672), (8, 128)),
        ((4096,), (1024,)),
        ((1, 1024, 256, 1), (1, 4, 256, 1)),
        ((256, 1), (256, 1)),
        ((), ()),
    ],
)
def test_block_extents(shape, extents):
    first = next(blocks(shape))
    assert tuple(cut.stop - cut.start for cut in first) == extents


def test_blocks_are_aligned_and_not_much_smaller_than_the_minimum():
    for shape in ((1000, 700), (7, 33, 257), (65, 129)):
        for block in blocks(shape):
            assert math.prod(cut.stop - cut.start for cut in block) >= MIN_BLOCK_ELEMENTS / 4
            assert block[-1].start % 128 == 0
