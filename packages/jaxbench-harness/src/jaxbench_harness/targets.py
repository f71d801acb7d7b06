"""Targets: what a TPU generation can do, as seen by one JAX device, each number with its source.

Imports no JAX, so that records, bounds and analysis can use it anywhere.
"""

import difflib
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, model_validator

_NonEmptyStr = Annotated[str, Field(min_length=1)]
_Count = Annotated[int, Field(gt=0)]
_Rate = Annotated[FiniteFloat, Field(gt=0)]


class Target(BaseModel):
    """A chip and its software, described for ONE JAX DEVICE, because that is what a program runs on.

    The vendor states numbers per chip, JAX's `TpuInfo` per core. A device is the whole chip on v5e and v6e
    (one core) and on v5p (two cores presented as one device, "megacore"), but half a chip on v7x (one core).
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    name: _NonEmptyStr
    """Name in configs, records and on the command line, such as `v6e`."""
    title: _NonEmptyStr
    """The vendor's product name, for people."""
    device_kinds: Annotated[tuple[_NonEmptyStr, ...], Field(min_length=1)]
    """Every `Device.device_kind` that JAX reports for it; the first is what libtpu's topology reports."""
    topology_name: _NonEmptyStr
    """Smallest topology that `jax.experimental.topologies.get_topology_desc` resolves: one chip."""
    accelerator_type: _NonEmptyStr
    """Value of the environment variable `TPU_ACCELERATOR_TYPE` when libtpu compiles for it without a TPU."""
    num_cores: _Count
    """TensorCores of one JAX device, as `jax.sharding.AbstractDevice` wants it."""
    cores_per_chip: _Count
    """TensorCores of one chip."""
    peak_bf16_flops_per_s: _Rate
    """Peak bf16 matrix FLOP/s of one device."""
    peak_int8_ops_per_s: _Rate | None
    """Peak int8 matrix operations/s of one device; null when none is documented."""
    peak_fp8_flops_per_s: _Rate | None
    """Peak fp8 matrix FLOP/s of one device; null when none is documented."""
    hbm_bytes: _Count
    """HBM installed for one device, in bytes; the compiler keeps some of it for the system."""
    hbm_bytes_per_s: _Rate
    """Peak HBM bandwidth of one device, in bytes/s, reads and writes together."""
    vmem_bytes: _Count
    """VMEM of one CORE, in bytes: each core of a megacore device has its own."""
    clock_hz: _Rate
    """TensorCore clock, in Hz."""
    sources: Mapping[_NonEmptyStr, _NonEmptyStr]
    """Where each number above comes from, by field name: one entry for every number that is not null."""

    @model_validator(mode="after")
    def _every_number_has_a_source(self) -> Self:
        numbers = {field for field, value in self if isinstance(value, int | float)}
        if differing := numbers ^ self.sources.keys():
            raise ValueError(f"each number needs one source and nothing else one: {', '.join(sorted(differing))}")
        return self

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def device_kind(self) -> str:
        """The device kind that libtpu's topology reports; the one to give to `AbstractDevice`."""
        return self.device_kinds[0]

    @property
    def devices_per_chip(self) -> int:
        """JAX devices that one chip is presented as."""
        return self.cores_per_chip // self.num_cores

    @property
    def ridge_flops_per_byte(self) -> float:
        """Arithmetic intensity, in bf16 FLOP per HBM byte, above which compute and not HBM is the limit."""
        return self.peak_bf16_flops_per_s / self.hbm_bytes_per_s

    def compute_time_s(self, flops: float) -> float:
        """Returns the least time in seconds that `flops` bf16 FLOPs take: the compute bound."""
        return flops / self.peak_bf16_flops_per_s

    def hbm_time_s(self, nbytes: float) -> float:
        """Returns the least time in seconds that moving `nbytes` to or from HBM takes: the HBM bound."""
        return nbytes / self.hbm_bytes_per_s


class UnknownTargetError(LookupError):
    """No target has the name or device kind asked for; the message is one line."""


def get_target(name: str) -> Target:
    """Returns the target called `name`.

    Raises:
        UnknownTargetError: No target has that name.
    """
    if name not in TARGETS:
        raise UnknownTargetError(_unknown("target", name, TARGETS))
    return TARGETS[name]


def target_from_device_kind(kind: str) -> Target:
    """Returns the target whose devices JAX reports as exactly `kind`.

    Raises:
        UnknownTargetError: No target has that device kind.
    """
    by_kind = {known: target for target in TARGETS.values() for known in target.device_kinds}
    if kind not in by_kind:
        raise UnknownTargetError(_unknown("device kind", kind, by_kind))
    return by_kind[kind]


def _unknown(what: str, given: str, known: Iterable[str]) -> str:
    by_lower = {name.lower(): name for name in known}
    close = [by_lower[match] for match in difflib.get_close_matches(given.lower(), by_lower)]
    hint = f"; did you mean {' or '.join(close)}?" if close else ";"
    return f"unknown {what} {given!r}{hint} known: {', '.join(by_lower.values())}"


# Capacities are GiB although the vendor mostly writes GB: libtpu lets a program use 15.75 GiB of v5e, 95.73
# of v5p, 31.24 of v6e and 94.74 of a v7x device, each more than the vendor's figure read as 10^9 bytes.
_GIB = 2**30
_MIB = 2**20
_JAX = "jax 0.12.0.1 jax/_src/tpu_info.py"
_LIBTPU = "libtpu 0.0.50.1 topology, devices[0].num_cores"
_V5E = "Cloud TPU docs, 'TPU v5e'"
_V5P = "Cloud TPU docs, 'TPU v5p'"
_V6E = "Cloud TPU docs, 'TPU v6e'"
_V7X = "Cloud TPU docs, 'TPU7x (Ironwood)'"

_ALL = (
    Target(
        name="v5e",
        title="TPU v5e",
        device_kinds=("TPU v5 lite", "TPU v5e"),
        topology_name="v5e:1x1",
        accelerator_type="v5litepod-1",
        num_cores=1,
        cores_per_chip=1,
        peak_bf16_flops_per_s=197e12,
        peak_int8_ops_per_s=393e12,
        peak_fp8_flops_per_s=None,
        hbm_bytes=16 * _GIB,
        hbm_bytes_per_s=819e9,
        vmem_bytes=128 * _MIB,
        clock_hz=1.5e9,
        sources={
            "num_cores": _LIBTPU,
            "cores_per_chip": _V5E,
            "peak_bf16_flops_per_s": _V5E,
            "peak_int8_ops_per_s": _V5E,
            "hbm_bytes": f"{_V5E}: 16 GB, read as GiB",
            "hbm_bytes_per_s": f"{_V5E}: 819 GBps (a later revision of the page rounds to 800)",
            "vmem_bytes": _JAX,
            "clock_hz": "derived: 197 T / 131072 FLOP per cycle (4 MXUs of 128x128), rounded",
        },
    ),
    Target(
        name="v5p",
        title="TPU v5p",
        device_kinds=("TPU v5", "TPU v5p"),
        topology_name="v5p:1x1x1",
        accelerator_type="v5p-8",
        num_cores=2,
        cores_per_chip=2,
        peak_bf16_flops_per_s=459e12,
        peak_int8_ops_per_s=918e12,
        peak_fp8_flops_per_s=459e12,
        hbm_bytes=96 * _GIB,
        hbm_bytes_per_s=2765e9,
        vmem_bytes=64 * _MIB,
        clock_hz=1.75e9,
        sources={
            "num_cores": _LIBTPU,
            "cores_per_chip": _V5P,
            "peak_bf16_flops_per_s": _V5P,
            "peak_int8_ops_per_s": f"{_JAX} (the vendor's page has none)",
            "peak_fp8_flops_per_s": _V5P,
            "hbm_bytes": f"{_JAX}: 103e9, so 96 GiB ({_V5P}: 95 GiB, below libtpu's usable 95.73)",
            "hbm_bytes_per_s": f"{_V5P}: 2765 GBps",
            "vmem_bytes": _JAX,
            "clock_hz": "derived: 459 T / 262144 FLOP per cycle (2 cores, 4 MXUs of 128x128 each), rounded",
        },
    ),
    Target(
        name="v6e",
        title="TPU v6e (Trillium)",
        device_kinds=("TPU v6 lite", "TPU v6e"),
        topology_name="v6e:1x1",
        accelerator_type="v6e-1",
        num_cores=1,
        cores_per_chip=1,
        peak_bf16_flops_per_s=918e12,
        peak_int8_ops_per_s=1836e12,
        peak_fp8_flops_per_s=918e12,
        hbm_bytes=32 * _GIB,
        hbm_bytes_per_s=1638e9,
        vmem_bytes=128 * _MIB,
        clock_hz=1.75e9,
        sources={
            "num_cores": _LIBTPU,
            "cores_per_chip": _V6E,
            "peak_bf16_flops_per_s": _V6E,
            "peak_int8_ops_per_s": _V6E,
            "peak_fp8_flops_per_s": f"{_V7X}, column v6e",
            "hbm_bytes": f"{_V7X}, column v6e: 32 GiB",
            "hbm_bytes_per_s": f"{_V6E}: 1638 GBps",
            "vmem_bytes": _JAX,
            "clock_hz": "derived: 918 T / 524288 FLOP per cycle, rounded; published GEMM times agree",
        },
    ),
    Target(
        name="v7x",
        title="TPU7x (Ironwood)",
        device_kinds=("TPU7x",),
        topology_name="tpu7x:1x1x1",
        accelerator_type="tpu7x-8",
        num_cores=1,
        cores_per_chip=2,
        peak_bf16_flops_per_s=2307e12 / 2,
        peak_int8_ops_per_s=None,
        peak_fp8_flops_per_s=4614e12 / 2,
        hbm_bytes=192 * _GIB // 2,
        hbm_bytes_per_s=7380e9 / 2,
        vmem_bytes=64 * _MIB,
        clock_hz=2.2e9,
        sources={
            "num_cores": _LIBTPU,
            "cores_per_chip": _V7X,
            "peak_bf16_flops_per_s": f"{_V7X}: 2307 TFLOP/s per chip, halved",
            "peak_fp8_flops_per_s": f"{_V7X}: 4614 TFLOP/s per chip, halved",
            "hbm_bytes": f"{_V7X}: 192 GiB per chip, halved",
            "hbm_bytes_per_s": f"{_V7X}: 7380 GB/s per chip, halved",
            "vmem_bytes": _JAX,
            "clock_hz": "derived: 1153.5 T / 524288 FLOP per cycle, rounded (libtpu's cost model has 996 T)",
        },
    ),
)

TARGETS: Mapping[str, Target] = MappingProxyType({target.name: target for target in _ALL})
"""Every target by name."""
