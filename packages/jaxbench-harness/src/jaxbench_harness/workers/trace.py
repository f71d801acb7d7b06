"""Worker that loads a candidate, traces it with abstract inputs and answers with Programs."""

from collections.abc import Callable
from contextlib import ExitStack

import jax

from jaxbench_harness.program import Program
from jaxbench_harness.records import Model, Stage
from jaxbench_harness.tracing.abstract_chip import abstract_chip
from jaxbench_harness.tracing.dependencies import unversioned_files
from jaxbench_harness.tracing.export import Trace
from jaxbench_harness.tracing.loading import load_entry_point, raised
from jaxbench_harness.tracing.locations import strip_folders
from jaxbench_harness.tracing.messages import EarlyStage, ProgramHeader, TraceAnswer, Traced, TraceRequest
from jaxbench_harness.workers.serving import Progress, serve


def handle(body: str, blobs: list[bytes], progress: Progress) -> tuple[Model, list[bytes]]:
    """Answers a TraceRequest with a TraceAnswer and the Programs."""
    request = TraceRequest.model_validate_json(body)
    stage: EarlyStage = Stage.LOAD

    def begin(next_stage: EarlyStage) -> None:
        nonlocal stage
        stage = next_stage
        progress(stage)

    try:
        traced, programs = _trace(request, blobs, begin)
    except BaseException as error:  # noqa: BLE001 - once it is loaded, code of the candidate can run anywhere
        return TraceAnswer(result=raised(stage, error).failure), []
    return TraceAnswer(result=traced), [program.content for program in programs]


def _trace(
    request: TraceRequest, blobs: list[bytes], begin: Callable[[EarlyStage], None]
) -> tuple[Traced, list[Program]]:
    programs: list[Program] = []
    interpreter_error = None
    strip_folders()
    begin(Stage.LOAD)
    with ExitStack() as stack:
        stack.enter_context(abstract_chip(request.source.chip, blobs))
        entry_point = load_entry_point(request.source, blobs)
        begin(Stage.TRACE)
        # The candidate may have switched compilation off, and what is rewritten and exported here relies on it.
        stack.enter_context(jax.disable_jit(disable=False))
        for call in request.calls:
            trace = Trace(entry_point, call)
            programs.append(trace.for_target())
            if call.size in request.interpret_sizes:
                interpreted = trace.interpreted()
                if isinstance(interpreted, Program):
                    programs.append(interpreted)
                else:
                    interpreter_error = interpreted
    headers = tuple(ProgramHeader(size=program.size, platform=program.platform) for program in programs)
    return Traced(programs=headers, interpreter_error=interpreter_error, sources=unversioned_files()), programs


if __name__ == "__main__":
    serve(handle)
