import math

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from jaxbench_harness.check.metrics import HISTOGRAM_EDGES, measure, nonfinite_pattern, scale_of
from jaxbench_harness.tolerance import Tolerance

GAUSSIAN = np.random.default_rng(0).normal(size=(256, 384))


def test_element_is_the_largest_error_in_units_of_rtol_and_scale():
    reference = np.array([1.0, -1.0, 3.0, -3.0])  # standard deviation sqrt(5)
    output = np.array([1.0, -1.0, 3.5, -3.1])
    tolerance = Tolerance(scale="std", rtol=0.1, atol_scale=0.2)
    found = measure(output, reference, tolerance)
    assert found.values["element"] == pytest.approx(0.5 / (0.3 + 0.2 * math.sqrt(5)))
    assert found.worst is not None
    assert (found.worst.index, found.worst.expected, found.worst.got) == ((2,), 3.0, 3.5)


def test_rms_is_relative_to_the_centred_reference():
    reference = np.array([10.0, 12.0, 14.0, 16.0])  # deviations -3, -1, 1, 3
    found = measure(reference + np.array([0.0, 1.0, 0.0, -1.0]), reference, Tolerance())
    assert found.values["rms"] == pytest.approx(math.sqrt(2 / 20))


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("std", [[math.sqrt(6.5)] * 2] * 2),
        ("mean_abs", [[4.0] * 2] * 2),
        ("row", [[math.sqrt(2.5)] * 2, [math.sqrt(42.5)] * 2]),
        ("abs", [[1, 2], [7, 6]]),
    ],
)
def test_scale_by_hand(kind, expected):
    reference = np.array([[1.0, 2.0], [7.0, 6.0]])  # mean 4, deviations -3, -2, 3, 2
    np.testing.assert_allclose(scale_of(reference, kind), expected)


@pytest.mark.parametrize("kind", ["std", "row", "mean_abs", "abs"])
def test_zero_scale_falls_back_to_the_rms_then_to_tiny(kind):
    mixed = np.array([[0.0, 0.0], [3.0, 3.0]])
    assert (scale_of(mixed, kind) > 0.1).all()
    assert (scale_of(np.zeros((2, 3)), kind) > 0).all()
    np.testing.assert_allclose(scale_of(np.full((2, 3), -5.0), kind), 5.0)


@pytest.mark.parametrize("kind", ["std", "row", "mean_abs", "abs"])
@settings(max_examples=50, deadline=None)
@given(st.data())
def test_any_arrays_give_finite_metrics_without_warnings(kind, data):
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=9))
    values = st.floats(width=32, allow_nan=True, allow_infinity=True)
    reference = data.draw(hnp.arrays(np.float32, shape, elements=values))
    output = data.draw(hnp.arrays(np.float32, shape, elements=values))
    found = measure(output, reference, Tolerance(scale=kind))
    assert all(math.isfinite(value) and value >= 0 for value in found.values.values())
    assert sum(found.histogram.counts) == output.size
    assert measure(reference, reference, Tolerance(scale=kind)).values["element"] == 0


def test_metrics_do_not_depend_on_the_unit_of_the_output():
    output = GAUSSIAN * 1.003 + 0.01
    first = measure(output, GAUSSIAN, Tolerance()).values
    second = measure(output * 1e-6, GAUSSIAN * 1e-6, Tolerance()).values
    assert set(first) == set(second)
    for name, value in first.items():
        assert second[name] == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("shape", [(), (1,), (1, 1, 1)])
def test_single_elements_are_judged_by_element_and_rms(shape):
    found = measure(np.full(shape, 1.01), np.full(shape, 1.0), Tolerance(scale="abs"))
    assert found.values["rms"] == pytest.approx(0.01)
    assert "slope" not in found.values
    assert found.worst is not None
    assert found.worst.index == (0,) * len(shape)


def test_empty_outputs_have_an_element_metric_and_nothing_worst():
    found = measure(np.zeros((0, 4)), np.zeros((0, 4)), Tolerance())
    assert found.values == {"element": 0.0}
    assert found.worst is None
    assert sum(found.histogram.counts) == 0


@pytest.mark.parametrize("dtype", [np.bool_, np.int32, np.int8])
def test_integers_and_booleans_are_compared_exactly(dtype):
    reference = np.array([0, 1, 1, 0], dtype)
    output = np.array([0, 1, 0, 0], dtype)
    assert measure(reference, reference, Tolerance()).values == {"element": 0.0}
    found = measure(output, reference, Tolerance())
    assert found.values == {"element": 2.0}
    assert found.worst is not None
    assert found.worst.index == (2,)


def test_bfloat16_outputs_are_read_exactly():
    output = GAUSSIAN.astype(jnp.bfloat16)
    assert measure(output, output.astype(np.float32), Tolerance()).values["element"] == 0


def test_histogram_counts_by_decade_and_puts_nonfinite_last():
    reference = np.array([1.0, -1.0, 1.0, -1.0, np.nan])  # standard deviation 1
    found = measure(np.array([1.0, -1.0 + 5e-7, 1.5, 1e3, np.nan]), reference, Tolerance())
    counts = dict(zip((*HISTOGRAM_EDGES, math.inf), found.histogram.counts, strict=True))
    assert {edge: count for edge, count in counts.items() if count} == {1e-7: 1, 1e-6: 1, 1.0: 1, math.inf: 2}


@pytest.mark.parametrize(("got", "expected"), [(np.nan, 1), (1, np.nan), (np.inf, -np.inf), (np.nan, np.inf)])
def test_nonfinite_pattern_names_the_first_difference(got, expected):
    reference = np.array([[np.nan, np.inf, -np.inf], [0, 1, 2]])
    output = reference.copy()
    assert nonfinite_pattern(output, reference) is None
    output[1, 1:], reference[1, 1:] = got, expected
    found = nonfinite_pattern(output, reference)
    assert found is not None
    assert found.index == (1, 1)
    np.testing.assert_equal([found.got, found.expected], [float(got), float(expected)])


def test_metrics_ignore_elements_that_are_nonfinite_in_both():
    reference = GAUSSIAN.copy()
    reference[3, 5], reference[:, 0] = np.nan, -np.inf
    assert measure(reference, reference, Tolerance()).values["rms"] == 0
    found = measure(reference * 1.01, reference, Tolerance(scale="row"))
    assert found.values["slope"] == pytest.approx(0.01, abs=1e-6)


def test_shapes_must_agree():
    with pytest.raises(ValueError, match=r"shape \(2,\)"):
        measure(np.zeros(2), np.zeros((2, 1)), Tolerance())
    with pytest.raises(ValueError, match=r"shape \(2,\)"):
        nonfinite_pattern(np.zeros(2), np.zeros((2, 1)))
