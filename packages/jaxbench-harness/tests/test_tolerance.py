import math

import pytest

from jaxbench_harness.tolerance import Tolerance

SHARES = ["rtol", "atol_scale", "rms_floor", "slope_floor", "offset_floor"]


@pytest.mark.parametrize("name", SHARES)
@pytest.mark.parametrize("value", [-1e-9, 1.0, 5.0, math.inf, math.nan])
def test_shares_lie_in_zero_to_one(name, value):
    with pytest.raises(ValueError, match=rf"tolerance {name} is .*at least 0 and below 1"):
        Tolerance(**{name: value})


@pytest.mark.parametrize("name", SHARES)
@pytest.mark.parametrize("value", [0.0, 0.999])
def test_the_ends_of_the_range_are_allowed(name, value):
    assert getattr(Tolerance(**{name: value}), name) == value


def test_some_rounding_must_pass():
    with pytest.raises(ValueError, match="no rounding would pass"):
        Tolerance(rtol=0, atol_scale=0)


@pytest.mark.parametrize("value", [0.0, 0.999, -2.0, math.inf, math.nan])
def test_the_margin_is_at_least_the_noise_and_finite(value):
    with pytest.raises(ValueError, match="noise_multiple"):
        Tolerance(noise_multiple=value)


def test_a_margin_of_exactly_the_noise_is_allowed():
    assert Tolerance(noise_multiple=1).noise_multiple == 1
