"""Ways to run a candidate on inputs: its check Program here, or its source under the TPU interpreter elsewhere."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax import export

from jaxbench_harness.check.arrays import pack, unpack
from jaxbench_harness.check.executables import CANDIDATE
from jaxbench_harness.check.memory_faults import MEMORY_FAULTS
from jaxbench_harness.check.messages import CheckFailure, CheckRequest, InterpretAnswer, InterpretRequest
from jaxbench_harness.isolation import Limits, NoAnswer, run_worker
from jaxbench_harness.records import FailureCode, bounded, one_line
from jaxbench_harness.tracing.messages import CallSpec, TraceFailed
from jaxbench_harness.workload import Workload

Inputs = Mapping[str, jax.Array]
Execute = Callable[[Inputs], np.ndarray[Any, Any]]


class ExecutionError(Exception):
    """The candidate could not be run on the inputs."""

    def __init__(self, failure: CheckFailure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


def run_program(content: bytes) -> Execute:
    """Returns a function that runs a Program for the CPU. It was guarded before it came here."""
    exported = export.deserialize(bytearray(content))

    def candidate(*values: jax.Array) -> Any:
        return exported.call(*values)

    candidate.__name__ = CANDIDATE
    call = jax.jit(candidate)

    def execute(inputs: Inputs) -> np.ndarray[Any, Any]:
        try:
            return np.asarray(call(*inputs.values()))
        except Exception as error:
            reason = one_line(f"the check Program could not be run: {error}")
            raise ExecutionError(
                CheckFailure(code=FailureCode.NOT_EXECUTABLE, reason=reason, log=bounded(str(error)))
            ) from error

    return execute


def run_in_tpu_interpreter(request: CheckRequest, files: Sequence[bytes], workload: Workload) -> Execute:
    """Returns a function that runs the candidate's source in a fresh process under the Pallas TPU interpreter."""
    size = workload.size(request.size)
    call = CallSpec.of(workload, size)
    expected = workload.output.at(size.dims)
    limits = Limits.for_candidates(request.timeout_s, request.memory_bytes, request.resident_bytes)

    def execute(inputs: Inputs) -> np.ndarray[Any, Any]:
        assert request.source is not None
        packed = [pack(array) for array in inputs.values()]
        headers = tuple(header for header, _ in packed)
        message = InterpretRequest(source=request.source, call=call, arrays=headers, detect_races=request.detect_races)
        blobs = [*files, *(content for _, content in packed)]
        ended = run_worker("interpret", message, InterpretAnswer, limits=limits, blobs=blobs, sandboxed=True)
        if isinstance(ended, NoAnswer):
            raise _not_run(ended.code, f"running under the TPU interpreter: {ended.reason}", ended.log)
        result = ended.message.result
        if isinstance(result, TraceFailed):
            log = f"{result.log}\n{ended.log}"
            if result.code in MEMORY_FAULTS:
                raise _not_run(result.code, result.reason, log)
            other = f"; the HLO interpreter: {request.verifier_note}" if request.verifier_note else ""
            raise _not_run(FailureCode.NOT_EXECUTABLE, f"{result.reason} (under the TPU interpreter{other})", log)
        try:
            output = unpack(result.output, b"".join(ended.blobs))
        except ValueError as error:
            raise _not_run(FailureCode.PROTOCOL, f"the TPU interpreter's output is not valid: {error}", "") from error
        if output.shape != expected.shape or output.dtype.name != expected.dtype:
            code = FailureCode.OUTPUT_SHAPE if output.shape != expected.shape else FailureCode.OUTPUT_DTYPE
            found = f"{output.dtype.name}{list(output.shape)}"
            raise _not_run(code, f"returned {found}, {workload.id} at size {size.name} needs {expected}", "")
        return output

    return execute


def _not_run(code: FailureCode, reason: str, log: str) -> ExecutionError:
    return ExecutionError(CheckFailure(code=code, reason=one_line(reason), log=bounded(log)))
