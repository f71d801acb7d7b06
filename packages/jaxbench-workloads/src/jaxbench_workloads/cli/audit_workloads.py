"""`jaxbench audit`: can the workloads be failed?"""

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from jaxbench_harness.cli.terminal import ExitCode, JsonOption, err, print_json, usage_error, usage_errors
from jaxbench_harness.digests import workload_digest
from jaxbench_harness.environment import current_environment
from jaxbench_harness.registry import all_workloads, find_release, find_workload
from jaxbench_harness.releases import Release, record_audits
from jaxbench_harness.workload import Workload
from jaxbench_workloads.audit.plan import ENDED_FROM_OUTSIDE, AuditPlan, audit_all
from jaxbench_workloads.audit.render import FORMATS, complaints, summary_line
from jaxbench_workloads.audit.report import AuditReport, WorkloadAudit
from jaxbench_workloads.audit.summaries import summary_of


def audit_workloads(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="Workload ids; all by default.")] = None,
    size: Annotated[str, typer.Option(help="Size of the inputs.")] = "check",
    seeds: Annotated[int, typer.Option(min=1, help="Number of seeds: 0, 1, and so on.")] = 1,
    distributions: Annotated[
        list[str] | None, typer.Option("--distribution", help="Only these input distributions; may be repeated.")
    ] = None,
    answers_only: Annotated[
        bool, typer.Option("--answers-only", help="Leave out what evaluates the reference again, such as mutants.")
    ] = False,
    memory_gib: Annotated[
        float, typer.Option("--memory", min=1, help="Skip a workload whose audit needs more GiB than this.")
    ] = 20.0,
    jobs: Annotated[int | None, typer.Option(min=1, help="Audits at a time; one per core by default.")] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write a report here as well: .json, .md or .html.", dir_okay=False)
    ] = None,
    record: Annotated[
        str | None,
        typer.Option(metavar="RELEASE", help="Keep what was found beside this release's manifest."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Audit workloads: wrong answers must be rejected, honest ones accepted, on every seed."""
    if report is not None and report.suffix not in FORMATS:
        usage_error(f"--report {report}: the suffix is {report.suffix!r}, it must be one of {', '.join(FORMATS)}")
    with usage_errors():
        workloads = [find_workload(name) for name in dict.fromkeys(ids or [])] or list(all_workloads().values())
        release = None if record is None else find_release(record)
    if release is not None:
        if answers_only or distributions:
            usage_error("--record keeps whole audits: leave --answers-only and --distribution out")
        _require_frozen(release, workloads)
    plan = AuditPlan(
        size=size,
        seeds=range(seeds),
        distributions=distributions,
        answers_only=answers_only,
        memory_bytes=int(memory_gib * 2**30),
    )
    try:
        audited = _audit_all([workload for workload in workloads if _applies(workload, plan)], plan, jobs)
    except ValueError as error:
        usage_error(f"{error}; correct the workload's inputs")
    if report is not None:
        _write(report, FORMATS[report.suffix](audited))
    if release is not None:
        with usage_errors():
            written = record_audits(release.path, {one.workload.id: summary_of(one) for one in audited.audits})
        noun = "audit" if len(audited.audits) == 1 else "audits"
        _progress(f"{len(audited.audits)} {noun} recorded in {written}")
    if as_json:
        print_json(audited)
    clean = sum(audit.clean for audit in audited.audits)
    err.print(f"{clean} of {len(audited.audits)} audits are clean", highlight=False)
    if ENDED_FROM_OUTSIDE in audited.skipped.values():
        raise typer.Exit(ExitCode.INFRASTRUCTURE)
    raise typer.Exit(ExitCode.PASSED if clean == len(audited.audits) else ExitCode.CANDIDATE_FAILED)


def _applies(workload: Workload, plan: AuditPlan) -> bool:
    """Ends the command where a workload lacks what is asked for; one without an odd size is left out."""
    if plan.size not in workload.sizes:
        if plan.size == "check_odd":
            return False
        usage_error(f"{workload.id} has no size {plan.size!r}; it has {', '.join(workload.sizes)}")
    for name in plan.distributions or ():
        if name not in workload.distributions:
            usage_error(f"{workload.id} has no distribution {name!r}; it has {', '.join(workload.distributions)}")
    return True


def _require_frozen(release: Release, workloads: Sequence[Workload]) -> None:
    """Ends the command where a workload is not the one that the release has frozen, since that is what is audited."""
    with usage_errors():
        frozen = release.manifest
    for workload in workloads:
        entry, digest = frozen.workload(workload.id), workload_digest(workload)
        if entry is None:
            usage_error(f"{workload.id} is not in release {release.name}; name workloads that are")
        if entry.digest != digest:
            usage_error(
                f"release {release.name} has another {workload.id} than the registered one, which is what is audited: "
                f"digest {entry.digest[:12]}, not {digest[:12]}; freeze a draft anew, or record in another release"
            )


def _audit_all(workloads: Sequence[Workload], plan: AuditPlan, jobs: int | None) -> AuditReport:
    order = [workload.id for workload in workloads]
    audits: dict[str, WorkloadAudit] = {}
    skipped: dict[str, str] = {}
    for workload_id, outcome in audit_all(order, plan, jobs or os.cpu_count() or 1):
        if isinstance(outcome, str):
            skipped[workload_id] = outcome
            _progress(f"{workload_id}: skipped, {outcome}")
        else:
            audits[workload_id] = outcome
            _progress(summary_line(outcome))
            for line in complaints(outcome):
                _progress(f"  {line}")
    return AuditReport(
        created_at=datetime.now(UTC),
        environment=current_environment(),
        audits=tuple(audits[name] for name in order if name in audits),
        skipped={name: skipped[name] for name in order if name in skipped},
    )


def _progress(line: str) -> None:
    err.print(line, markup=False, highlight=False, soft_wrap=True)


def _write(path: Path, content: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    except OSError as error:
        err.print(f"error: the report was not written to {path}: {error.strerror or error}", markup=False)
        raise typer.Exit(ExitCode.INFRASTRUCTURE) from error
