"""Processes that run what must not run in the supervisor."""

from jaxbench_harness.isolation.limits import Limits
from jaxbench_harness.isolation.supervisor import Answer, NoAnswer, run_worker

__all__ = ["Answer", "Limits", "NoAnswer", "run_worker"]
