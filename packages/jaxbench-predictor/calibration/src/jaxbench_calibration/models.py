"""The models that were tried: a function of a case and its constants, and the grid that is searched."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from jaxbench_calibration.cases import Case
from jaxbench_calibration.replaying import Memory, replay

CLOCK_GHZ = 1.75
SUSTAINED_AFTER_MS = 2.0
"""Values from 1 to 3 fit alike."""

_BANDWIDTH = tuple(range(1300, 1521, 20))
_LATENCY = tuple(range(1000, 1701, 100))
_SLOWDOWN = (0.0, 0.04, 0.06, 0.08, 0.1)
_SUSTAINED = (0.8, 0.84, 0.88, 0.92, 1.0)


@dataclass(frozen=True)
class Model:
    """One way to tell a time.

    Attributes:
        name: What it is called in the table.
        what: What it stands for.
        grid: Values of each constant that are tried: GB/s, cycles, shares.
        time_ms: The time of a case with given constants.
    """

    name: str
    what: str
    grid: Mapping[str, tuple[float, ...]]
    time_ms: Callable[..., float]


def _time(
    case: Case,
    bandwidth: float,
    latency: float,
    slowdown: float = 0.0,
    sustained: float = 1.0,
    *,
    after_ms: float = SUSTAINED_AFTER_MS,
    write_share: float = 1.0,
    turnaround: float = 0.0,
    zeros_too: bool = False,
    yielding: bool = False,
) -> float:
    rate = bandwidth / CLOCK_GHZ
    memory = Memory(
        rate, float(latency), rate * sustained, after_ms * CLOCK_GHZ * 1e6, float(write_share), float(turnaround)
    )
    slowed = slowdown if zeros_too or not case.zero_weights else 0.0
    return replay(case.record, memory, slowed, yielding=yielding) / CLOCK_GHZ / 1e6


def _slower_clock(case: Case, bandwidth: float, latency: float, slowdown: float, sustained: float) -> float:
    stretch = 1 if case.zero_weights else 1 + slowdown
    return _time(case, bandwidth * stretch, latency / stretch, 0.0, sustained) * stretch


def _long_run(case: Case, bandwidth: float, latency: float, beyond: float) -> float:
    time = _time(case, bandwidth, latency)
    return time + beyond * max(0.0, time - 1.0)


def _sustained_for_data(case: Case, bandwidth: float, latency: float, slowdown: float, sustained: float) -> float:
    return _time(case, bandwidth, latency, slowdown, 1.0 if case.zero_weights else sustained)


_TWO = {"bandwidth": _BANDWIDTH, "latency": _LATENCY}
_FOUR = _TWO | {"slowdown": _SLOWDOWN, "sustained": _SUSTAINED}
_COARSE = {"bandwidth": _BANDWIDTH[::2], "latency": _LATENCY[::2], "slowdown": (0.04, 0.08), "sustained": (0.84, 0.92)}

CHOSEN = Model(
    "sustained rate",
    f"a queue for all HBM traffic plus a latency; HBM has a lower rate after {SUSTAINED_AFTER_MS:g} ms",
    _TWO | {"sustained": _SUSTAINED},
    lambda case, bandwidth, latency, sustained: _time(case, bandwidth, latency, 0.0, sustained),
)
"""The model of the package: the fewest constants of those that are about as good left out, and every measured pair of
expert and XLA comes out in order. It was chosen after those were seen."""

MODELS = (
    CHOSEN,
    Model("queue", "the queue and the latency alone", _TWO, _time),
    Model(
        "slowdown",
        "the queue; time is lost in proportion to the work of the matrix units, unless the weights were zero",
        _TWO | {"slowdown": _SLOWDOWN},
        _time,
    ),
    Model("both", "slowdown, and the sustained rate", _FOUR, _time),
    Model(
        "long run",
        "the queue; all time beyond the first millisecond counts more",
        _TWO | {"beyond": (0.0, 0.02, 0.04, 0.06, 0.08, 0.1)},
        _long_run,
    ),
    Model(
        "slowdown for zeros too",
        "as both; slowdown of all programs alike",
        _FOUR,
        lambda case, **constants: _time(case, **constants, zeros_too=True),
    ),
    Model(
        "slower clock",
        "as both, but all bundles take longer, not in proportion to matrix work",
        _FOUR,
        _slower_clock,
    ),
    Model("sustained for data", "as both; no lower rate where weights were zero", _FOUR, _sustained_for_data),
    Model(
        "sustained after 1 ms",
        "as both, after 1 ms",
        _FOUR,
        lambda case, **constants: _time(case, **constants, after_ms=1.0),
    ),
    Model(
        "prefetch yields",
        "as both; prefetches of low priority get what other transfers leave",
        _FOUR,
        lambda case, **constants: _time(case, **constants, yielding=True),
    ),
    Model(
        "writes apart",
        "as both; writes have a rate of their own",
        _COARSE | {"write_share": (0.8, 0.9, 1.0, 1.1, 1.25)},
        _time,
    ),
    Model(
        "turnaround",
        "as both; a pause whenever HBM changes between reading and writing",
        _COARSE | {"turnaround": (0.0, 50.0, 100.0)},
        _time,
    ),
)
"""Every model that was tried."""
