"""Audit: can a workload be failed?

Every wrong answer must be rejected by the workload's own inputs and tolerance, every honest one accepted.
"""

from jaxbench_workloads.audit.auditing import audit_workload
from jaxbench_workloads.audit.report import AuditReport, Finding, Kind, Margin, Outcome, WorkloadAudit

__all__ = ["AuditReport", "Finding", "Kind", "Margin", "Outcome", "WorkloadAudit", "audit_workload"]
