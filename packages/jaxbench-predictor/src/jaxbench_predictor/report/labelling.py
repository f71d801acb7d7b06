"""Tells what limits a program.

Everything is measured against the predicted time. Golden schedules of kernels that one unit limits by construction lie
well above the thresholds: their unit is busy from 61% (lane rotations) to 92% (scalar arithmetic) of the time.
"""

from collections.abc import Iterator

from jaxbench_predictor.report.model import Bottleneck
from jaxbench_predictor.report.slots import FILLS, SPILLS, Slots

HBM_BUSY = 0.7
"""Share of the time in which HBM moves data. From there on no better overlap makes the program 1.5 times as fast. A
pipeline that nothing else holds up reaches 0.95 to 1, kernels made to wait for single transfers lie below 0.4."""

UNIT_BUSY = 0.5
"""Share of a unit's slots. From there on no better schedule of the same operations is twice as fast."""

SCALAR_BUSY = 0.25
"""The same for the scalar unit. Its code is chains of dependent operations, which leave one of the two slots empty, and
with latencies half of the bundles too; schedules of grids with nothing to do in a step come out at a third."""

SPILLING = 0.5
"""Share of loads, or of stores, from which on they are there for want of registers."""

WAITING = 0.25
"""Share of the time spent in waits, where neither HBM nor a unit is busy."""

_UNITS = {"MXU": Bottleneck.MXU, "VALU": Bottleneck.VPU, "EUP": Bottleneck.EUP, "XLU": Bottleneck.XLU}
"""Units by the compiler's name. `VPOP`, which takes results from them, is none of its own."""

_MEMORY = {"VLOAD": FILLS, "VSTORE": SPILLS}
_SCALAR = "SALU"


def bottleneck(cycles: float, waiting_cycles: float, hbm_busy_cycles: float, slots: Slots) -> Bottleneck:
    """Returns what limits a program.

    HBM comes first: where it is busy, no unit is the limit. Then the busiest unit, by the share of its slots that is
    used, counted over the whole time. Where none is busy, waits, if there are enough of them. What remains is the
    schedule.

    Args:
        cycles: The predicted time.
        waiting_cycles: What of it went by in waits.
        hbm_busy_cycles: Cycles in which HBM moved data.
        slots: Issue slots used.
    """
    if hbm_busy_cycles >= HBM_BUSY * cycles:
        return Bottleneck.HBM
    label, share = max(_busy(cycles, slots), key=lambda entry: entry[1], default=(Bottleneck.SCHEDULE, 0.0))
    if share >= 1:
        return label
    return Bottleneck.DMA_LATENCY if waiting_cycles >= WAITING * cycles else Bottleneck.SCHEDULE


def _busy(cycles: float, slots: Slots) -> Iterator[tuple[Bottleneck, float]]:
    """Yields each unit with the share of its slots that is used, over the share from which on it is busy."""
    shares = {unit: used / (slots.capacity[unit] * cycles) for unit, used in slots.used.items()}
    for unit, label in _UNITS.items():
        if unit in shares:
            yield label, shares[unit] / UNIT_BUSY
    for unit, part in _MEMORY.items():
        if unit in shares:
            spilling = slots.used.get(part, 0) >= SPILLING * slots.used[unit]
            yield Bottleneck.SPILL if spilling else Bottleneck.LOAD_STORE, shares[unit] / UNIT_BUSY
    if _SCALAR in shares:
        yield Bottleneck.SCALAR, shares[_SCALAR] / SCALAR_BUSY
