"""The machines that can be predicted."""

import difflib
from collections.abc import Mapping
from types import MappingProxyType

from jaxbench_predictor.machines.fitted import load_fitted
from jaxbench_predictor.machines.machine import Constant, Machine, Standing

_DATA_SHEET = "Cloud TPU docs, system architecture"
_V6E = load_fitted("v6e")
_V6E_PEAK_BYTES_PER_S = 1638e9
_V6E_SHARE = _V6E.hbm_bytes_per_s / _V6E_PEAK_BYTES_PER_S


class UnknownTargetError(LookupError):
    """No machine has the name asked for; the message is one line."""


def get_machine(target: str) -> Machine:
    """Returns the machine model of `target`.

    Raises:
        UnknownTargetError: There is none of that name.
    """
    if target not in MACHINES:
        close = difflib.get_close_matches(target.lower(), MACHINES)
        hint = f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(MACHINES)}"
        raise UnknownTargetError(f"no machine model for target {target!r}; {hint}")
    return MACHINES[target]


def _stated(value: float, source: str = _DATA_SHEET) -> Constant:
    return Constant(value=value, standing=Standing.STATED, source=source)


def _derived(value: float, source: str) -> Constant:
    return Constant(value=value, standing=Standing.DERIVED, source=source)


def _carried_over(peak_bytes_per_s: float) -> Constant:
    return Constant(
        value=peak_bytes_per_s * _V6E_SHARE,
        standing=Standing.PROVISIONAL,
        source="the share of the data sheet's bandwidth that was fitted for v6e; no measurement of this machine",
    )


_LATENCY_CARRIED_OVER = Constant(
    value=_V6E.dma_latency_cycles,
    standing=Standing.PROVISIONAL,
    source="that of v6e; no measurement of this machine",
)

_ALL = (
    Machine(
        name="v6e",
        version=_V6E.version,
        topology_name="v6e:1x1",
        accelerator_type="v6e-1",
        device_kind="TPU v6 lite",
        num_cores=1,
        matrix_unit_width=256,
        clock_hz=_derived(1.75e9, "918 TFLOP/s / 524288 FLOP per cycle; published times of 4096-wide GEMMs agree"),
        peak_bf16_flops_per_s=_stated(918e12),
        peak_hbm_bytes_per_s=_stated(_V6E_PEAK_BYTES_PER_S),
        hbm_bytes_per_s=_V6E.constant(_V6E.hbm_bytes_per_s),
        hbm_sustained_bytes_per_s=_V6E.constant(_V6E.hbm_sustained_bytes_per_s),
        hbm_sustained_after_s=_V6E.constant(_V6E.hbm_sustained_after_s),
        dma_latency_cycles=_V6E.constant(_V6E.dma_latency_cycles),
        matmul_slowdown=_V6E.constant(_V6E.matmul_slowdown) if _V6E.matmul_slowdown else None,
        low_ratio=_V6E.constant(_V6E.low_ratio),
        high_ratio=_V6E.constant(_V6E.high_ratio),
        branch_delay_slots=4,
        granule_bytes=32,
    ),
    Machine(
        name="v5e",
        version="v5e-provisional-4",
        topology_name="v5e:1x1",
        accelerator_type="v5litepod-1",
        device_kind="TPU v5 lite",
        num_cores=1,
        matrix_unit_width=128,
        clock_hz=_derived(1.5e9, "197 TFLOP/s / 131072 FLOP per cycle, rounded"),
        peak_bf16_flops_per_s=_stated(197e12),
        peak_hbm_bytes_per_s=_stated(819e9),
        hbm_bytes_per_s=_carried_over(819e9),
        hbm_sustained_bytes_per_s=None,
        hbm_sustained_after_s=None,
        dma_latency_cycles=_LATENCY_CARRIED_OVER,
        matmul_slowdown=None,
        low_ratio=None,
        high_ratio=None,
        branch_delay_slots=4,
        granule_bytes=32,
    ),
    Machine(
        name="v5p",
        version="v5p-provisional-4",
        topology_name="v5p:1x1x1",
        accelerator_type="v5p-8",
        device_kind="TPU v5",
        num_cores=2,
        matrix_unit_width=128,
        clock_hz=_derived(1.75e9, "459 TFLOP/s / 262144 FLOP per cycle of two cores, rounded"),
        peak_bf16_flops_per_s=_stated(459e12),
        peak_hbm_bytes_per_s=_stated(2765e9),
        hbm_bytes_per_s=_carried_over(2765e9),
        hbm_sustained_bytes_per_s=None,
        hbm_sustained_after_s=None,
        dma_latency_cycles=_LATENCY_CARRIED_OVER,
        matmul_slowdown=None,
        low_ratio=None,
        high_ratio=None,
        branch_delay_slots=4,
        granule_bytes=32,
    ),
    Machine(
        name="v7x",
        version="v7x-provisional-4",
        topology_name="tpu7x:1x1x1",
        accelerator_type="tpu7x-8",
        device_kind="TPU7x",
        num_cores=1,
        matrix_unit_width=256,
        clock_hz=_derived(2.2e9, "1153.5 TFLOP/s per core / 524288 FLOP per cycle, rounded; not confirmed"),
        peak_bf16_flops_per_s=_stated(2307e12 / 2, f"{_DATA_SHEET}: 2307 TFLOP/s per chip of two devices"),
        peak_hbm_bytes_per_s=_stated(7380e9 / 2, f"{_DATA_SHEET}: 7380 GB/s per chip of two devices"),
        hbm_bytes_per_s=_carried_over(7380e9 / 2),
        hbm_sustained_bytes_per_s=None,
        hbm_sustained_after_s=None,
        dma_latency_cycles=_LATENCY_CARRIED_OVER,
        matmul_slowdown=None,
        low_ratio=None,
        high_ratio=None,
        branch_delay_slots=4,
        granule_bytes=32,
    ),
)

MACHINES: Mapping[str, Machine] = MappingProxyType({machine.name: machine for machine in _ALL})
"""Every machine model by target name."""
