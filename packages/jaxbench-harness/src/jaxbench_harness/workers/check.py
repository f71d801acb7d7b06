"""Worker that runs a candidate's check Program on fresh inputs and compares its output with the reference."""

from jaxbench_harness.check import compare_draw
from jaxbench_harness.check.executables import Executables
from jaxbench_harness.check.execution import Execute, ExecutionError, run_in_tpu_interpreter, run_program
from jaxbench_harness.check.messages import CheckAnswer, CheckFailure, CheckRequest
from jaxbench_harness.check.reference import draw_inputs, exact_reference, native_reference
from jaxbench_harness.records import DrawReport, Model, Verifier
from jaxbench_harness.registry import find_workload
from jaxbench_harness.workers.serving import Progress, serve
from jaxbench_harness.workload import Workload


def handle(body: str, blobs: list[bytes], progress: Progress) -> tuple[Model, list[bytes]]:
    """Answers a CheckRequest with a CheckAnswer."""
    request = CheckRequest.model_validate_json(body)
    workload = find_workload(request.workload_id, request.release)
    executables = Executables(blobs.pop()) if request.executables else None
    if request.source is None:
        verifier = Verifier.HLO_INTERPRETER if request.kernels else Verifier.XLA_CPU
        execute = run_program(blobs[0])
    else:
        verifier = Verifier.TPU_INTERPRETER
        execute = run_in_tpu_interpreter(request, blobs, workload)
    draws, failure = _check(request, workload, execute, progress)
    bundle = executables and executables.bundle()
    answer = CheckAnswer(verifier=verifier, draws=tuple(draws), failure=failure)
    return answer, [] if bundle is None else [bundle]


def _check(
    request: CheckRequest, workload: Workload, execute: Execute, progress: Progress
) -> tuple[list[DrawReport], CheckFailure | None]:
    """Compares draw after draw and stops at the first that fails."""
    size = workload.size(request.size)
    draws: list[DrawReport] = []
    for distribution in request.distributions or workload.distributions:
        for seed in range(request.seed, request.seed + request.draws_per_distribution):
            progress("reference")
            inputs = draw_inputs(workload, size, distribution, seed)
            exact = exact_reference(workload, size, inputs)
            native = native_reference(workload, size, inputs)
            progress("candidate")
            try:
                output = execute(inputs)
            except ExecutionError as error:
                return draws, error.failure
            compared = compare_draw(
                output, exact, native, workload.tolerance, seed=seed, size=size.name, distribution=distribution
            )
            draws.append(compared.report)
            if compared.failure is not None:
                where = f"{distribution} inputs, seed {seed}"
                reason = f"{compared.failure.reason} ({where})"
                return draws, CheckFailure(code=compared.failure.code, reason=reason[:500])
    return draws, None


if __name__ == "__main__":
    serve(handle)
