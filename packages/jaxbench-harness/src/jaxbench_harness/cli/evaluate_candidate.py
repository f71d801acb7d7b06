"""`jaxbench evaluate FILE --workload ID`: judge one candidate."""

from pathlib import Path
from typing import Annotated

import typer

from jaxbench_harness.candidate import read_candidate
from jaxbench_harness.cli.options import (
    CacheOption,
    CandidateArgument,
    CheckTimeoutOption,
    CompileTimeoutOption,
    DrawsOption,
    LibraryKernelsOption,
    OddSizeOption,
    PredictOption,
    RacesOption,
    ReleaseOption,
    RequirePallasOption,
    ResultsOption,
    SeedOption,
    TraceTimeoutOption,
    resolve_cache,
    resolve_config,
    resolve_timing,
)
from jaxbench_harness.cli.progress import reporting
from jaxbench_harness.cli.report import print_record
from jaxbench_harness.cli.terminal import (
    JsonOption,
    TargetOption,
    WorkloadOption,
    exit_code,
    print_json,
    say,
    usage_errors,
    write_record,
)
from jaxbench_harness.evaluate import evaluate
from jaxbench_harness.registry import find_workload
from jaxbench_harness.source_store import keep_source
from jaxbench_harness.store import prepare_record_file


def evaluate_candidate(
    file: CandidateArgument,
    workload_id: WorkloadOption,
    target: TargetOption = "v6e",
    release: ReleaseOption = None,
    seed: SeedOption = None,
    draws: DrawsOption = None,
    require_pallas: RequirePallasOption = None,
    races: RacesOption = False,
    odd_size: OddSizeOption = False,
    library_kernels: LibraryKernelsOption = None,
    predict: PredictOption = None,
    trace_timeout: TraceTimeoutOption = None,
    compile_timeout: CompileTimeoutOption = None,
    check_timeout: CheckTimeoutOption = None,
    results: ResultsOption = Path("results"),
    record: Annotated[bool, typer.Option(help="Append the record to the results folder.")] = True,
    cached: CacheOption = True,
    as_json: JsonOption = False,
) -> None:
    """Judge one candidate: trace, guard, cross-compile, check its numbers, predict its time; append the record."""
    with usage_errors():
        workload = find_workload(workload_id, release)
        candidate = read_candidate(file)
        config = resolve_config(
            target,
            release,
            seed=seed,
            draws_per_distribution=draws,
            require_pallas=require_pallas,
            races=races,
            odd_size=odd_size,
            library_kernels=library_kernels,
            timing=resolve_timing(wanted=predict),
            trace_timeout_s=trace_timeout,
            compile_timeout_s=compile_timeout,
            check_timeout_s=check_timeout,
        )
        path = prepare_record_file(results / "evaluations.jsonl") if record else None
    with reporting() as reporter:
        found = evaluate(
            candidate,
            workload,
            config,
            release=release,
            on_stage=lambda stage: reporter.stage(workload.id, stage),
            cache=resolve_cache(wanted=cached),
        )
        reporter.done(workload.id, found.verdict)
    if as_json:
        print_json(found)
    else:
        print_record(found)
    if path is not None:
        write_record(path, found)
        keep_source(results, candidate)
        if not as_json:
            say(f"record {found.evaluation_id} appended to {path}")
    raise typer.Exit(exit_code(found.verdict))
