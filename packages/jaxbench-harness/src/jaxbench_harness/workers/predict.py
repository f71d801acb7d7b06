"""Worker that predicts the time of a Program from the schedule that the target's compiler makes of it."""

from pathlib import Path

import numpy as np

from jaxbench_harness.check.reference import draw_inputs
from jaxbench_harness.prediction.messages import PredictAnswer, PredictRequest
from jaxbench_harness.prediction.summary import summarize
from jaxbench_harness.records import Model
from jaxbench_harness.registry import find_workload
from jaxbench_harness.workers.serving import Progress, serve
from jaxbench_harness.workload import Workload
from jaxbench_predictor import Inputs, Limits, predict

_TIMELINE = Path("timeline.json")
"""In the folder of the process, which is its own and removed after it."""


def handle(body: str, blobs: list[bytes], progress: Progress) -> tuple[Model, list[bytes]]:
    """Answers a PredictRequest with a PredictAnswer and the whole outcome."""
    del progress
    request = PredictRequest.model_validate_json(body)
    workload = find_workload(request.workload_id, request.release)
    inputs = _integers(workload, request)
    limits = Limits(wall_s=request.timeout_s, memory_bytes=request.memory_bytes)
    outcome = predict(
        blobs[0],
        target=request.target,
        inputs=inputs,
        limits=limits,
        tensor_core_only=request.tensor_core_only,
        timeline=_TIMELINE if request.timeline else None,
    )
    drawn = f"{request.distribution}, seed {request.seed}" if inputs.arrays else None
    timeline = [_TIMELINE.read_bytes()] if _TIMELINE.exists() else []
    return PredictAnswer(result=summarize(outcome, drawn)), [outcome.model_dump_json().encode(), *timeline]


def _integers(workload: Workload, request: PredictRequest) -> Inputs:
    """Draws the inputs that may decide control flow, at full size; the others would take gigabytes."""
    wanted = frozenset(spec.name for spec in workload.array_inputs if spec.dtype in {"int32", "int8", "bool"})
    drawn = draw_inputs(workload, workload.size("full"), request.distribution, request.seed, only=wanted)
    positions = {spec.name: position for position, spec in enumerate(workload.array_inputs)}
    return Inputs(arrays={positions[name]: np.asarray(array) for name, array in drawn.items()})


if __name__ == "__main__":
    serve(handle)
