"""Checks what a Program says of itself: platform, arguments, result, effects."""

from typing import Any

import jax
from jax import export

from jaxbench_harness.guard.faults import RefusedError, refuse_effects, refuse_malformed
from jaxbench_harness.program import Program
from jaxbench_harness.records import FailureCode
from jaxbench_harness.workload import ArraySpec, Size, Workload


def check_envelope(exported: export.Exported, program: Program, workload: Workload) -> None:
    """Raises RefusedError where it is not what the workload specifies for the Program's size."""
    size = workload.size(program.size)
    _check_platform(exported, program)
    _check_arguments(exported, workload, size)
    _check_result(exported, workload, size)
    check_effects(exported)


def _check_platform(exported: export.Exported, program: Program) -> None:
    if exported.platforms != (program.platform,) or exported.nr_devices != 1:
        found = f"{', '.join(exported.platforms)} on {exported.nr_devices} devices"
        raise refuse_malformed(f"the Program is for {found}, not {program.platform} on one")


def _check_arguments(exported: export.Exported, workload: Workload, size: Size) -> None:
    expected = [spec for spec in workload.arguments(size) if isinstance(spec, ArraySpec)]
    found = [_spec_text(aval) for aval in exported.in_avals]
    if found != list(map(str, expected)):
        wanted = ", ".join(map(str, expected))
        raise refuse_malformed(f"the Program takes {', '.join(found)}, not {wanted}")


def _check_result(exported: export.Exported, workload: Workload, size: Size) -> None:
    expected = workload.output.at(size.dims)
    wanted = f"{workload.id} at size {size.name} needs {expected}"
    found = [_spec_text(aval) for aval in exported.out_avals]
    if exported.out_tree != jax.tree.structure(0):
        kind = type(jax.tree.unflatten(exported.out_tree, found)).__name__
        held = "1 array" if len(found) == 1 else f"{len(found)} arrays"
        raise RefusedError(FailureCode.OUTPUT_STRUCTURE, f"returned a {kind} with {held} in it, {wanted} itself")
    if tuple(exported.out_avals[0].shape) != expected.shape:
        raise RefusedError(FailureCode.OUTPUT_SHAPE, f"returned {found[0]}, {wanted}")
    if exported.out_avals[0].dtype.name != expected.dtype:
        raise RefusedError(FailureCode.OUTPUT_DTYPE, f"returned {found[0]}, {wanted}")


def check_effects(exported: export.Exported) -> None:
    """Raises RefusedError where the Program declares effects."""
    effects = [*exported.ordered_effects, *exported.unordered_effects]
    if effects:
        raise refuse_effects(f"has side effects: {', '.join(map(str, effects))}")


def _spec_text(aval: Any) -> str:
    return f"{aval.dtype.name}[{','.join(map(str, aval.shape))}]"
