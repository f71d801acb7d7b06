import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxbench_harness.cli.units import in_bytes, in_time, with_prefix

DECIMAL = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
BINARY = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
TIMES = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (with_prefix(3848290697216, "FLOP"), "3.85 TFLOP"),
        (with_prefix(0, "FLOP"), "0 FLOP"),
        (with_prefix(999, "B/s"), "999 B/s"),
        (with_prefix(1000, "B/s"), "1 kB/s"),
        (with_prefix(-2.5e6, "B"), "-2.5 MB"),
        (with_prefix(918e12, "FLOP/s"), "918 TFLOP/s"),
        (with_prefix(2.5e18, "FLOP"), "2500 PFLOP"),
        (with_prefix(999.7e9, "FLOP"), "1000 GFLOP"),
        (in_bytes(0), "0 B"),
        (in_bytes(1023), "1023 B"),
        (in_bytes(1073741824), "1 GiB"),
        (in_bytes(1020 * 2**20), "1020 MiB"),
        (in_bytes(1.5 * 2**40), "1.5 TiB"),
        (in_time(0), "0 ns"),
        (in_time(1), "1 ns"),
        (in_time(12_345), "12.3 us"),
        (in_time(999_700), "1000 us"),
        (in_time(4.2e6), "4.2 ms"),
        (in_time(3.6e12), "3600 s"),
    ],
)
def test_examples(text, expected):
    assert text == expected


def _read(text, factors):
    number, unit = text.split(" ")
    assert "e" not in number
    return float(number) * factors[unit]


@given(value=st.floats(0.01, 9e18))
def test_decimal_prefixes_keep_three_digits(value):
    factors = {f"{prefix}F": factor for prefix, factor in DECIMAL.items()}
    assert _read(with_prefix(value, "F"), factors) == pytest.approx(value, rel=0.0051)


@given(value=st.integers(0, 2**50))
def test_bytes_keep_three_digits(value):
    assert _read(in_bytes(value), BINARY) == pytest.approx(value, rel=0.0051)


@given(value=st.floats(0.01, 1e14))
def test_times_keep_three_digits(value):
    assert _read(in_time(value), TIMES) == pytest.approx(value, rel=0.0051)
