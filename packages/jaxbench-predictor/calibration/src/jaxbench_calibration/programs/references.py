"""References of the workloads at full size: what XLA was measured on."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax

from jaxbench_calibration.programs.program import Built, Program
from jaxbench_harness.registry import all_workloads, find_workload
from jaxbench_harness.workload import InputSpec


_UNKNOWN_FORM = frozenset({"6p_Paged_Attention"})
"""Workloads of which another form was measured, which is not known: no form tried takes nearly as long."""


def reference_programs() -> list[Program]:
    """Returns the references whose published XLA time is one of the same program."""
    return [
        Program(f"{identifier}/xla", identifier, "baseline", partial(reference, identifier))
        for identifier in all_workloads()
        if identifier not in _UNKNOWN_FORM
        and (published := find_workload(identifier).published) is not None
        and published.xla.matches
    ]


def reference(identifier: str) -> Built:
    """Returns the reference of a workload, and its array inputs, at full size."""
    workload = find_workload(identifier)
    size = workload.size("full")
    bound: Callable[..., Any] = workload.bound_reference(size)

    def function(*arrays: jax.Array) -> jax.Array:
        remaining = iter(arrays)
        return bound(
            *(next(remaining) if isinstance(spec, InputSpec) else spec.at(size.dims) for spec in workload.inputs)
        )

    arrays = [spec.at(size.dims) for spec in workload.array_inputs]
    return function, [jax.ShapeDtypeStruct(array.shape, array.dtype) for array in arrays]
