"""Numbers for people: units are applied here, at the edge, and nowhere else."""

_STEPS = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def with_prefix(value: float, unit: str) -> str:
    """Returns `value` with three significant digits and a decimal prefix: 3848290697216 FLOP -> `3.85 TFLOP`."""
    for step, prefix in _STEPS:
        if abs(value) >= step:
            return f"{three_digits(value / step)} {prefix}{unit}"
    return f"{three_digits(value)} {unit}"


def in_bytes(value: float) -> str:
    """Returns bytes with a binary prefix: 1073741824 -> `1 GiB`."""
    for exponent, prefix in ((4, "Ti"), (3, "Gi"), (2, "Mi"), (1, "Ki")):
        if abs(value) >= 1024**exponent:
            return f"{three_digits(value / 1024**exponent)} {prefix}B"
    return f"{value:.0f} B"


def in_time(nanoseconds: float) -> str:
    """Returns a duration in s, ms, us or ns with three significant digits."""
    for step, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
        if nanoseconds >= step:
            return f"{three_digits(nanoseconds / step)} {unit}"
    return f"{three_digits(nanoseconds)} ns"


def in_percent(share: float) -> str:
    """Returns a share in percent with three significant digits: 0.0517 -> `5.17 %`."""
    return f"{three_digits(100 * share)} %"


def three_digits(value: float) -> str:
    """Returns `value` with three significant digits, or all of its digits before the point where there are more."""
    return f"{value:.3g}" if abs(value) < 999.5 else f"{value:.0f}"  # `.3g` would write 1e+03
