"""Traces an entry point once per size and exports the trace as Programs."""

from collections.abc import Callable
from typing import Any, cast

import jax
from jax import export
from jax.extend.core import Jaxpr, jaxpr_as_fun

from jaxbench_harness.program import Program
from jaxbench_harness.records import FailureCode, Stage, one_line
from jaxbench_harness.tracing.calling import over_arrays
from jaxbench_harness.tracing.loading import fault, raised
from jaxbench_harness.tracing.messages import ArrayArgument, CallSpec
from jaxbench_harness.tracing.rewrites import accumulate_in_float32, interpret_kernels, primitive_names


class Trace:
    """One trace of an entry point: a jaxpr and the structure of its result."""

    def __init__(self, entry_point: Callable[..., Any], call: CallSpec) -> None:
        """Traces `entry_point`. Raises CandidateFaultError when it cannot be called, or raises."""
        function = over_arrays(entry_point, call)
        arrays = [argument for argument in call.arguments if isinstance(argument, ArrayArgument)]
        self.size = call.size
        self.specs = [jax.ShapeDtypeStruct(array.shape, array.dtype) for array in arrays]
        try:
            self.jaxpr, result = jax.make_jaxpr(function, return_shape=True)(*self.specs)
        except BaseException as error:
            raise raised(Stage.TRACE, error) from error
        self.structure = jax.tree.structure(result)
        if callbacks := sorted(filter(_runs_on_host, primitive_names(self.jaxpr))):
            reason = f"calls back to the host ({', '.join(callbacks)}); a candidate runs on the device only"
            raise fault(Stage.TRACE, FailureCode.FORBIDDEN_CALL, reason)

    def for_target(self) -> Program:
        """Exports for the TPU. Raises CandidateFaultError when a kernel cannot be lowered."""
        try:
            return Program(self.size, "tpu", self._export(self.jaxpr, "tpu"))
        except BaseException as error:
            raise raised(Stage.TRACE, error) from error

    def interpreted(self) -> Program | str:
        """Exports for the CPU with interpreted kernels; returns why not, in one line, when JAX cannot.

        What XLA itself multiplies accumulates in float32 there, as on a TPU.
        """
        try:
            jaxpr = interpret_kernels(accumulate_in_float32(self.jaxpr))
            return Program(self.size, "cpu", self._export(jaxpr, "cpu"))
        except Exception as error:  # noqa: BLE001 - whatever the interpreter lacks, another verifier may have
            return one_line(f"{type(error).__name__}: {error}")

    def _export(self, jaxpr: Jaxpr, platform: str) -> bytes:
        evaluate = cast("Callable[..., list[jax.Array]]", jaxpr_as_fun(jaxpr))

        def workload(*values: jax.Array) -> Any:
            return jax.tree.unflatten(self.structure, evaluate(*values))

        return bytes(export.export(jax.jit(workload), platforms=[platform])(*self.specs).serialize())


def _runs_on_host(primitive: str) -> bool:
    return primitive.endswith("callback") or primitive == "debug_print"
