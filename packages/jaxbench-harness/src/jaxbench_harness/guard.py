"""Guard: reads a Program as data and refuses what no kernel of a workload needs."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import jax
from jax import export
from jax._src.interpreters import mlir  # the public jax.extend.mlir has no context with JAX's dialects
from jax.extend.mlir import ir

from jaxbench_harness.program import Program
from jaxbench_harness.records import FailureCode, one_line
from jaxbench_harness.workload import ArraySpec, Size, Workload

MOSAIC_CALL = "tpu_custom_call"

_ALLOWED_CALLS = frozenset({
    MOSAIC_CALL,
    "ApproxTopK",
    "Sharding",
    "annotate_device_placement",
    "AllocateBuffer",
    "mhlo.topk",
    "stablehlo.dynamic_approx_top_k",
    "stablehlo.dynamic_top_k",
})  # fmt: skip
"""Custom-call targets that compute on the device and cannot reach the host."""

_FORBIDDEN_OPS = frozenset({
    "stablehlo.infeed", "stablehlo.outfeed", "stablehlo.send", "stablehlo.recv",
    "stablehlo.all_gather", "stablehlo.all_reduce", "stablehlo.all_to_all", "stablehlo.collective_broadcast",
    "stablehlo.collective_permute", "stablehlo.partition_id", "stablehlo.reduce_scatter", "stablehlo.replica_id",
})  # fmt: skip


@dataclass(frozen=True)
class GuardFault:
    """Why a Program is refused."""

    code: FailureCode
    reason: str


@dataclass(frozen=True)
class Guarded:
    """A Program that passed, ready to be called or compiled."""

    exported: export.Exported
    kernels: int
    """Mosaic kernels in it, counted in the StableHLO."""


def guard(program: Program, workload: Workload) -> Guarded | GuardFault:
    """Checks one Program against what the workload specifies for its size.

    Deserialization, the arguments and result, effects, and every operation are checked; nothing is executed.
    """
    size = workload.size(program.size)
    try:
        exported = export.deserialize(bytearray(program.content))
        calls, ops = _operations(exported)
    except Exception as error:  # noqa: BLE001 - the bytes come from a process that ran candidate code
        return GuardFault(FailureCode.PROTOCOL, one_line(f"the Program cannot be read: {type(error).__name__} {error}"))
    fault = _wrong_platform(exported, program) or _wrong_arguments(exported, workload, size)
    fault = fault or _wrong_result(exported, workload, size) or _effects(exported)
    if fault is not None:
        return fault
    if strangers := sorted(calls.keys() - _ALLOWED_CALLS):
        return GuardFault(FailureCode.FORBIDDEN_CALL, f"calls {', '.join(strangers)}, which kernels may not")
    if forbidden := sorted(ops & _FORBIDDEN_OPS):
        return GuardFault(FailureCode.EFFECTS, f"uses {', '.join(forbidden)}: one device, no host transfers")
    return Guarded(exported, calls[MOSAIC_CALL])


def _wrong_platform(exported: export.Exported, program: Program) -> GuardFault | None:
    if exported.platforms != (program.platform,) or exported.nr_devices != 1:
        found = f"{', '.join(exported.platforms)} on {exported.nr_devices} devices"
        return GuardFault(FailureCode.PROTOCOL, f"the Program is for {found}, not {program.platform} on one")
    return None


def _wrong_arguments(exported: export.Exported, workload: Workload, size: Size) -> GuardFault | None:
    expected = [spec for spec in workload.arguments(size) if isinstance(spec, ArraySpec)]
    found = [_spec_text(aval) for aval in exported.in_avals]
    if found != list(map(str, expected)):
        wanted = ", ".join(map(str, expected))
        return GuardFault(FailureCode.PROTOCOL, f"the Program takes {', '.join(found)}, not {wanted}")
    return None


def _wrong_result(exported: export.Exported, workload: Workload, size: Size) -> GuardFault | None:
    expected = workload.output.at(size.dims)
    wanted = f"{workload.id} at size {size.name} needs {expected}"
    found = [_spec_text(aval) for aval in exported.out_avals]
    if exported.out_tree != jax.tree.structure(0):
        kind = type(jax.tree.unflatten(exported.out_tree, found)).__name__
        held = "1 array" if len(found) == 1 else f"{len(found)} arrays"
        return GuardFault(FailureCode.OUTPUT_STRUCTURE, f"returned a {kind} with {held} in it, {wanted} itself")
    if tuple(exported.out_avals[0].shape) != expected.shape:
        return GuardFault(FailureCode.OUTPUT_SHAPE, f"returned {found[0]}, {wanted}")
    if exported.out_avals[0].dtype.name != expected.dtype:
        return GuardFault(FailureCode.OUTPUT_DTYPE, f"returned {found[0]}, {wanted}")
    return None


def _effects(exported: export.Exported) -> GuardFault | None:
    effects = [*exported.ordered_effects, *exported.unordered_effects]
    if effects:
        return GuardFault(FailureCode.EFFECTS, one_line(f"has side effects: {', '.join(map(str, effects))}"))
    return None


def _spec_text(aval: Any) -> str:
    return f"{aval.dtype.name}[{','.join(map(str, aval.shape))}]"


def _operations(exported: export.Exported) -> tuple[Counter[str], set[str]]:
    """Returns the custom-call targets with their counts, and the names of all operations."""
    calls: Counter[str] = Counter()
    names: set[str] = set()
    with mlir.make_ir_context():
        module = ir.Module.parse(exported.mlir_module())
        for operation in _walk(module.operation):
            names.add(operation.name)
            if operation.name == "stablehlo.custom_call":
                calls[ir.StringAttr(operation.attributes["call_target_name"]).value] += 1
    return calls, names


def _walk(operation: Any) -> Iterator[Any]:
    for region in operation.regions:
        for block in region:
            for inner in block:
                yield inner.operation
                yield from _walk(inner.operation)
