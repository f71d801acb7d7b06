"""Audits of several workloads, in parallel processes."""

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass

import jax

from jaxbench_harness.registry import find_workload
from jaxbench_workloads.audit.auditing import audit_workload
from jaxbench_workloads.audit.memory import needed_bytes
from jaxbench_workloads.audit.report import WorkloadAudit

ENDED_FROM_OUTSIDE = "an audit was ended from outside, most likely for want of memory; try it alone, with --jobs 1"
"""Reason for leaving out a workload whose process did not end by itself."""


@dataclass(frozen=True, kw_only=True)
class AuditPlan:
    """How workloads are audited.

    Attributes:
        size: Size of the inputs.
        seeds: Seeds of the draws.
        distributions: Names of the input distributions; None for all.
        answers_only: See `audit_workload`.
        memory_bytes: A workload whose audit needs more is left out.
    """

    size: str = "check"
    seeds: Sequence[int] = (0,)
    distributions: Sequence[str] | None = None
    answers_only: bool = False
    memory_bytes: int = 20 * 2**30


def audit_all(workload_ids: Sequence[str], plan: AuditPlan, jobs: int) -> Iterator[tuple[str, WorkloadAudit | str]]:
    """Audits registered workloads.

    Args:
        workload_ids: Ids of registered workloads.
        plan: How.
        jobs: Processes.

    Yields:
        Id and audit as they end; instead of the audit the reason, in one line, where a workload was left out.

    Raises:
        ValueError: If a right answer isn't finite.
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, initializer=_on_cpu) as pool:
        ids: dict[Future[WorkloadAudit | str], str] = {
            pool.submit(_audit, workload_id, plan): workload_id for workload_id in workload_ids
        }
        for future in as_completed(ids):
            try:
                yield ids[future], future.result()
            except BrokenProcessPool:  # and so for all that had not ended
                yield ids[future], ENDED_FROM_OUTSIDE


def _on_cpu() -> None:
    jax.config.update("jax_platforms", "cpu")


def _audit(workload_id: str, plan: AuditPlan) -> WorkloadAudit | str:
    workload = find_workload(workload_id)
    # The draws of a distribution are kept for its statistics.
    needed = needed_bytes(workload, workload.size(plan.size)) * len(plan.seeds)
    if needed > plan.memory_bytes:
        return f"needs about {needed / 2**30:.0f} GiB, the limit is {plan.memory_bytes / 2**30:.0f} GiB"
    return audit_workload(
        workload, plan.size, plan.seeds, distributions=plan.distributions, answers_only=plan.answers_only
    )
