"""Compiles a Program for a TPU on a machine without one, and reads what the compiler reports."""

import itertools
import re
import time
from collections.abc import Iterator

import jax
from jax import export
from jax.experimental import topologies
from jax.sharding import SingleDeviceSharding
from jax.stages import Compiled as CompiledStage

from jaxbench_harness.guard import MOSAIC_CALL
from jaxbench_harness.records import Compiled, CompileRefused, MosaicKernel, bounded
from jaxbench_harness.targets import Target

_KERNEL_LINE = re.compile(r"^\s*(?:ROOT )?%?(?P<name>[\w.\-]+) = .*", re.MULTILINE)
_SCOPED_VMEM = re.compile(r'"used_scoped_memory_configs":\[(?:\{"memory_space":"1","offset":"\d+","size":"(\d+)")?')


def cross_compile(exported: export.Exported, digest: str, target: Target) -> Compiled | CompileRefused:
    """Compiles for one device of `target`.

    Args:
        exported: The Program, deserialized.
        digest: Its digest, for the report.
        target: What to compile for.

    Returns:
        The report; a refusal carries the compiler's message in full.
    """
    topology = topologies.get_topology_desc(platform="tpu", topology_name=target.topology_name)
    sharding = SingleDeviceSharding(topology.devices[0])
    specs = [jax.ShapeDtypeStruct(aval.shape, aval.dtype, sharding=sharding) for aval in exported.in_avals]
    started = time.monotonic()
    try:
        compiled = jax.jit(exported.call).lower(*specs).compile()
    except Exception as error:  # noqa: BLE001 - whatever the compiler says belongs to the record
        return CompileRefused(compile_s=time.monotonic() - started, message=bounded(str(error)))
    return _report(compiled, digest, target, time.monotonic() - started)


def _report(compiled: CompiledStage, digest: str, target: Target, compile_s: float) -> Compiled:
    memory = compiled.memory_analysis()
    assert memory is not None, "the TPU compiler always reports memory"
    cost: dict[str, float] = compiled.cost_analysis() or {}
    used = [
        memory.argument_size_in_bytes,
        memory.output_size_in_bytes,
        memory.temp_size_in_bytes,
        memory.generated_code_size_in_bytes,
    ]
    return Compiled(
        program_digest=digest,
        compile_s=compile_s,
        argument_bytes=used[0],
        output_bytes=used[1],
        temp_bytes=used[2],
        code_bytes=used[3],
        fits_hbm=sum(used) <= target.hbm_bytes,
        flops=_known(cost.get("flops")),
        bytes_accessed=_known(cost.get("bytes accessed")),
        kernels=tuple(mosaic_kernels(compiled.as_text() or "")),
    )


def _known(value: float | None) -> float | None:
    """XLA reports -1 where it cannot count."""
    return value if value is not None and value >= 0 else None


def mosaic_kernels(hlo: str) -> Iterator[MosaicKernel]:
    """Yields the Mosaic kernels of an optimized HLO text with the scoped VMEM that each uses."""
    starts = [match.start() for match in re.finditer(rf'custom_call_target="{MOSAIC_CALL}"', hlo)]
    for start, end in itertools.pairwise([*starts, len(hlo)]):
        line = _KERNEL_LINE.match(hlo, hlo.rfind("\n", 0, start) + 1)
        # The configuration may span lines, so it is searched up to the next kernel: the first one is the kernel's own.
        vmem = _SCOPED_VMEM.search(hlo, start, end)
        vmem_bytes = int(vmem[1]) if vmem and vmem[1] else None
        yield MosaicKernel(name=line["name"] if line else "unnamed", vmem_bytes=vmem_bytes)
