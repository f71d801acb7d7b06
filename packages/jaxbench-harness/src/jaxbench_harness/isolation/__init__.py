"""Processes that run what must not run in the supervisor."""

from jaxbench_harness.isolation.limits import MAX_FILE_BYTES, Limits
from jaxbench_harness.isolation.supervisor import Answer, NoAnswer, Spent, end_all_workers, run_worker

__all__ = ["MAX_FILE_BYTES", "Answer", "Limits", "NoAnswer", "Spent", "end_all_workers", "run_worker"]
