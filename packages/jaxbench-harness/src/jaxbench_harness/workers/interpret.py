"""Worker that runs a candidate's source under the Pallas TPU interpreter: inputs in, outputs out, nothing else."""

from typing import cast

import jax
import numpy as np
from jax.experimental.pallas import tpu as pltpu

from jaxbench_harness.check.arrays import Array, pack, unpack
from jaxbench_harness.check.memory_faults import memory_fault
from jaxbench_harness.check.messages import InterpretAnswer, Interpreted, InterpretRequest
from jaxbench_harness.records import FailureCode, Model, Stage
from jaxbench_harness.tracing.abstract_chip import abstract_chip
from jaxbench_harness.tracing.calling import over_arrays
from jaxbench_harness.tracing.loading import CandidateFaultError, fault, load_entry_point, raised
from jaxbench_harness.workers.serving import Progress, serve


def handle(body: str, blobs: list[bytes], progress: Progress) -> tuple[Model, list[bytes]]:
    """Answers an InterpretRequest with an InterpretAnswer and the output."""
    request = InterpretRequest.model_validate_json(body)
    files = len(request.source.paths)
    arrays = [unpack(header, blob) for header, blob in zip(request.arrays, blobs[files:], strict=True)]
    progress(Stage.CHECK)
    try:
        header, content = pack(_run(request, blobs[:files], arrays))
    except CandidateFaultError as error:
        return InterpretAnswer(result=error.failure), []
    return InterpretAnswer(result=Interpreted(output=header)), [content]


def _run(request: InterpretRequest, files: list[bytes], arrays: list[Array]) -> Array:
    # Unwritten memory reads as NaN, so that an output block that no grid step writes fails the check.
    interpreter = pltpu.InterpretParams(
        uninitialized_memory="nan", out_of_bounds_reads="raise", detect_races=request.detect_races
    )
    with abstract_chip(request.source.chip, files), pltpu.force_tpu_interpret_mode(interpreter):
        entry_point = load_entry_point(request.source, files)
        function = over_arrays(entry_point, request.call)
        try:
            result = cast("object", jax.jit(function)(*arrays))
        except BaseException as error:
            if found := memory_fault(str(error)):
                raise fault(Stage.TRACE, *found) from error
            raise raised(Stage.TRACE, error) from error
    if not isinstance(result, jax.Array):
        raise fault(Stage.TRACE, FailureCode.OUTPUT_STRUCTURE, f"returned a {type(result).__name__}, not an array")
    return np.asarray(result)


if __name__ == "__main__":
    serve(handle)
