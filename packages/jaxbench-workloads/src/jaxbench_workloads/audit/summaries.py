"""Audits in the few numbers that a release keeps of them."""

from jaxbench_harness.releases import AuditSummary
from jaxbench_workloads.audit.report import Outcome, WorkloadAudit


def summary_of(audit: WorkloadAudit) -> AuditSummary:
    """Returns what a release keeps of an audit."""
    return AuditSummary(
        digest=audit.workload.digest,
        size=audit.size,
        seeds=len(audit.seeds),
        rejected=audit.count(Outcome.REJECTED),
        equivalent=audit.count(Outcome.EQUIVALENT),
        below_noise=audit.count(Outcome.BELOW_NOISE),
        labelled=tuple(f"{found.answer}: {found.label}" for found in audit.labelled),
        accepted=len(audit.accepted),
        honest_share=audit.worst_margin.worst,
        noise_low=min(row.noise_smallest for row in audit.statistics),
        noise_high=max(row.noise for row in audit.statistics),
    )
