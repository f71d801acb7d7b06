"""`jaxbench compile FILE --workload ID`: ask the target's compiler, without the numeric check."""

import typer

from jaxbench_harness.candidate import read_candidate
from jaxbench_harness.cli.documents import CompileDocument
from jaxbench_harness.cli.options import (
    CacheOption,
    CandidateArgument,
    CompileTimeoutOption,
    LibraryKernelsOption,
    ReleaseOption,
    RequirePallasOption,
    TraceTimeoutOption,
    resolve_cache,
    resolve_config,
)
from jaxbench_harness.cli.progress import reporting
from jaxbench_harness.cli.report import print_compile, print_verdict
from jaxbench_harness.cli.terminal import (
    JsonOption,
    TargetOption,
    WorkloadOption,
    exit_code,
    out,
    print_json,
    usage_errors,
)
from jaxbench_harness.evaluate import compile_only
from jaxbench_harness.registry import find_workload


def compile_candidate(
    file: CandidateArgument,
    workload_id: WorkloadOption,
    target: TargetOption = "v6e",
    release: ReleaseOption = None,
    require_pallas: RequirePallasOption = None,
    library_kernels: LibraryKernelsOption = None,
    trace_timeout: TraceTimeoutOption = None,
    compile_timeout: CompileTimeoutOption = None,
    cached: CacheOption = True,
    as_json: JsonOption = False,
) -> None:
    """Cross-compile one candidate at full size: memory, kernels, or the compiler's message. Writes no record."""
    with usage_errors():
        workload = find_workload(workload_id, release)
        candidate = read_candidate(file)
        config = resolve_config(
            target,
            release,
            require_pallas=require_pallas,
            library_kernels=library_kernels,
            trace_timeout_s=trace_timeout,
            compile_timeout_s=compile_timeout,
        )
    with reporting() as reporter:
        verdict, report = compile_only(
            candidate,
            workload,
            config,
            release=release,
            on_stage=lambda stage: reporter.stage(workload.id, stage),
            cache=resolve_cache(wanted=cached),
        )
        reporter.done(workload.id, verdict)
    if as_json:
        document = CompileDocument(
            workload_id=workload.id,
            release=release,
            target=config.target,
            candidate_digest=candidate.digest,
            verdict=verdict,
            compile=report,
        )
        print_json(document)
    else:
        out.print(f"{candidate.name} on {workload.id} for {config.target}: ", end="", markup=False)
        print_verdict(verdict)
        print_compile(report)
    raise typer.Exit(exit_code(verdict))
