"""Processes that run what must not run in the supervisor."""

from jaxbench_harness.isolation.limits import Limits
from jaxbench_harness.isolation.probing import probe_sandbox
from jaxbench_harness.isolation.supervisor import Answer, NoAnswer, Spent, end_all_workers, run_worker

__all__ = ["Answer", "Limits", "NoAnswer", "Spent", "end_all_workers", "probe_sandbox", "run_worker"]
