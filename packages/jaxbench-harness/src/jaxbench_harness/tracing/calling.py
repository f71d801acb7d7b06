"""Calls an entry point the way the workload says: arrays and Python numbers in order, constants by name."""

import inspect
from collections.abc import Callable
from typing import Any

import jax

from jaxbench_harness.records import FailureCode, Stage
from jaxbench_harness.tracing.loading import fault
from jaxbench_harness.tracing.messages import ArrayArgument, CallSpec


def over_arrays(entry_point: Callable[..., Any], call: CallSpec) -> Callable[..., Any]:
    """Returns the entry point as a function of its array arguments only.

    Static arguments are filled in as Python numbers, keyword-only parameters from the dims of the size.

    Raises:
        CandidateFaultError: If it cannot be called that way.
    """
    keywords = _keyword_arguments(entry_point, call)

    def on_arrays(*values: jax.Array) -> Any:
        left = iter(values)
        arguments = [
            next(left) if isinstance(argument, ArrayArgument) else argument.value for argument in call.arguments
        ]
        return entry_point(*arguments, **keywords)

    return on_arrays


def _keyword_arguments(entry_point: Callable[..., Any], call: CallSpec) -> dict[str, int | float]:
    try:
        signature = inspect.signature(entry_point)
    except (TypeError, ValueError):
        return {}
    wanted = [p.name for p in signature.parameters.values() if p.kind is p.KEYWORD_ONLY]
    keywords = {name: call.dims[name] for name in wanted if name in call.dims}
    try:
        signature.bind(*call.arguments, **keywords)
    except TypeError as error:
        raise fault(
            Stage.TRACE,
            FailureCode.SIGNATURE,
            f"takes {signature}, but the workload passes {len(call.arguments)} positional inputs: {error}",
        ) from error
    return keywords
