"""`jaxbench run`: evaluate baselines of several workloads and append their records."""

import functools
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated

import typer

from jaxbench_harness.baseline import XLA
from jaxbench_harness.caching import Cache
from jaxbench_harness.candidate import Candidate
from jaxbench_harness.cli.documents import RunDocument
from jaxbench_harness.cli.options import (
    CacheOption,
    DrawsOption,
    PredictOption,
    ReleaseOption,
    ResultsOption,
    SeedOption,
    resolve_cache,
    resolve_config,
    resolve_timing,
)
from jaxbench_harness.cli.progress import Reporter, reporting
from jaxbench_harness.cli.report import print_records
from jaxbench_harness.cli.terminal import (
    JsonOption,
    TargetOption,
    err,
    exit_code,
    print_json,
    usage_error,
    usage_errors,
)
from jaxbench_harness.evaluate import evaluate, new_run_id
from jaxbench_harness.isolation import end_all_workers
from jaxbench_harness.records import Record, ResolvedConfig
from jaxbench_harness.registry import all_baselines, baseline_candidate, find_workload, workloads_of
from jaxbench_harness.source_store import keep_source
from jaxbench_harness.store import append_record, prepare_record_file
from jaxbench_harness.workload import Workload

QUICK_RUN = (
    "1p_Flash_Attention",
    "8p_GEMM",
    "9p_SwiGLU_MLP",
    "12p_RMSNorm",
    "30k_Matmul_Scaling_ResidualAdd",
    "50k_Matmul_GELU_Softmax",
)
"""What a run without arguments evaluates: one workload of each kind, a minute or two on two cores."""


def run_baselines(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="Workload ids.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every workload.")] = False,
    baseline: Annotated[str, typer.Option(help="Baseline: xla, expert, or expert:NAME.")] = XLA,
    target: TargetOption = "v6e",
    release: ReleaseOption = None,
    seed: SeedOption = None,
    draws: DrawsOption = None,
    predict: PredictOption = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Evaluations at a time; one per core by default.")] = None,
    results: ResultsOption = Path("results"),
    cached: CacheOption = True,
    as_json: JsonOption = False,
) -> None:
    """Evaluate a baseline of workloads, xla of a quick selection by default, and append the records."""
    with usage_errors():
        timing = resolve_timing(wanted=predict)
        config = resolve_config(target, release, seed=seed, draws_per_distribution=draws, timing=timing)
        workloads = _selected(ids or [], release, baseline, everything=everything)
        evaluations = [(baseline_candidate(workload, baseline, config.target), workload) for workload in workloads]
        run_id = new_run_id()
        path = prepare_record_file(results / f"{run_id}.jsonl")
    cache = resolve_cache(wanted=cached)
    with reporting() as reporter, ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
        judge = functools.partial(
            _evaluate, config=config, release=release, run_id=run_id, path=path, reporter=reporter, cache=cache
        )
        futures = [pool.submit(judge, *evaluation) for evaluation in evaluations]
        try:
            records = [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            end_all_workers()
            kept = f"finished evaluations are in {path}" if path.exists() else "no evaluation had finished"
            err.print(f"interrupted; {kept}", markup=False, soft_wrap=True)
            raise
    if as_json:
        print_json(RunDocument(run_id=run_id, records_path=str(path), records=tuple(records)))
    else:
        print_records(records, path)
    raise typer.Exit(max(exit_code(record.verdict) for record in records))


def _selected(ids: Sequence[str], release: str | None, baseline: str, *, everything: bool) -> list[Workload]:
    if ids and everything:
        usage_error(f"--all and ids ({', '.join(ids)}) exclude each other; leave one out")
    if ids:
        return [find_workload(workload_id, release) for workload_id in dict.fromkeys(ids)]
    known = [one for one in workloads_of(release) if baseline == XLA or baseline in all_baselines().get(one.id, {})]
    chosen = [workload for workload in known if everything or workload.id in QUICK_RUN] or known
    if not chosen:
        usage_error(f"no workloads with baseline {baseline!r} are registered; install the package that has them")
    return chosen


def _evaluate(
    candidate: Candidate,
    workload: Workload,
    *,
    config: ResolvedConfig,
    release: str | None,
    run_id: str,
    path: Path,
    reporter: Reporter,
    cache: Cache | None,
) -> Record:
    record = evaluate(
        candidate,
        workload,
        config,
        release=release,
        run_id=run_id,
        on_stage=lambda stage: reporter.stage(workload.id, stage),
        cache=cache,
    )
    append_record(path, record)
    if candidate.role != XLA:
        keep_source(path.parent, candidate)
    reporter.done(workload.id, record.verdict)
    return record
