"""The models that were tried: a function of a case and its constants, and the grid that is searched."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from jaxbench_calibration.cases import Case
from jaxbench_calibration.replaying import fifo_cycles, split_cycles, yielding_cycles

CLOCK_GHZ = 1.75

_BANDWIDTH = tuple(range(1300, 1521, 20))
_LATENCY = tuple(range(500, 2001, 100))
_SLOWDOWN = (0.0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.12)


@dataclass(frozen=True)
class Model:
    """One way to tell a time.

    Attributes:
        name: What it is called in the table.
        grid: Values of each constant that are tried: GB/s, cycles, shares.
        time_ms: The time of a case with given constants.
        what: What it stands for.
    """

    name: str
    grid: Mapping[str, tuple[float, ...]]
    time_ms: Callable[..., float]
    what: str


def _ms(cycles: float) -> float:
    return cycles / CLOCK_GHZ / 1e6


def _rate(gigabytes_per_s: float) -> float:
    return gigabytes_per_s / CLOCK_GHZ


def _slowdown(case: Case, slowdown: float) -> float:
    return 0.0 if case.zero_weights else slowdown


def _queue(case: Case, bandwidth: float, latency: float, slowdown: float = 0.0) -> float:
    return _ms(fifo_cycles(case.record, _rate(bandwidth), latency, _slowdown(case, slowdown)))


def _everywhere(case: Case, bandwidth: float, latency: float, slowdown: float) -> float:
    return _ms(fifo_cycles(case.record, _rate(bandwidth), latency, slowdown))


def _long_run(case: Case, bandwidth: float, latency: float, beyond: float) -> float:
    time = _queue(case, bandwidth, latency)
    return time + beyond * max(0.0, time - 1.0)


def _both(case: Case, bandwidth: float, latency: float, slowdown: float, beyond: float) -> float:
    time = _queue(case, bandwidth, latency, slowdown)
    return time + beyond * max(0.0, time - 1.0)


def _clock(case: Case, bandwidth: float, latency: float, slowdown: float) -> float:
    stretch = 1 + _slowdown(case, slowdown)
    return _ms(fifo_cycles(case.record, _rate(bandwidth) * stretch, latency / stretch, 0.0) * stretch)


def _split(case: Case, bandwidth: float, latency: float, slowdown: float, write_share: float) -> float:
    rate = _rate(bandwidth)
    slowed = _slowdown(case, slowdown)
    return _ms(split_cycles(case.record, rate, rate * write_share, latency, slowed, 0.0))


def _turnaround(case: Case, bandwidth: float, latency: float, slowdown: float, pause: float) -> float:
    rate = _rate(bandwidth)
    return _ms(split_cycles(case.record, rate, rate, latency, _slowdown(case, slowdown), pause))


def _yielding(case: Case, bandwidth: float, latency: float, slowdown: float) -> float:
    return _ms(yielding_cycles(case.record, _rate(bandwidth), latency, _slowdown(case, slowdown)))


_TWO = {"bandwidth": _BANDWIDTH, "latency": _LATENCY}
_THREE = _TWO | {"slowdown": _SLOWDOWN}
_COARSE_TWO = {"bandwidth": _BANDWIDTH[::2], "latency": _LATENCY[::2]}
_COARSE = {"bandwidth": _BANDWIDTH[::2], "latency": _LATENCY[::2], "slowdown": _SLOWDOWN[::2]}

CHOSEN = Model(
    "matmul slowdown",
    _THREE,
    _queue,
    "as `queue`, and time is lost in proportion to the work of the matrix units, unless the weights were zero",
)
"""The model of the package."""

MODELS = (
    Model("queue", _TWO, _queue, "one first-in first-out server for all HBM traffic, plus a latency"),
    CHOSEN,
    Model("slowdown for zeros too", _COARSE, _everywhere, "as `matmul slowdown`, for all programs alike"),
    Model("slower clock", _COARSE, _clock, "all bundles take longer, unless the weights were zero"),
    Model(
        "long run",
        _COARSE_TWO | {"beyond": tuple(np.arange(0, 0.13, 0.02).tolist())},
        _long_run,
        "as `queue`; time beyond the first millisecond counts more",
    ),
    Model(
        "slowdown and long run",
        _COARSE | {"beyond": (0.0, 0.02, 0.04, 0.06)},
        _both,
        "`matmul slowdown` and `long run` together",
    ),
    Model(
        "reads and writes apart",
        _COARSE | {"write_share": (0.8, 0.9, 1.0, 1.1, 1.25)},
        _split,
        "as `matmul slowdown`; writes at a rate of their own",
    ),
    Model(
        "turnaround",
        _COARSE | {"pause": (0.0, 50.0, 100.0, 200.0)},
        _turnaround,
        "as `matmul slowdown`; a pause whenever HBM changes between reading and writing",
    ),
    Model(
        "prefetch yields",
        _COARSE,
        _yielding,
        "as `matmul slowdown`; prefetches of low priority get what other transfers leave",
    ),
)
"""Every model that was tried."""
