"""Finds out how far this machine confines candidate code."""

from jaxbench_harness.isolation.limits import Limits
from jaxbench_harness.isolation.supervisor import Answer, run_worker
from jaxbench_harness.records import Model, Sandbox

_TIMEOUT_S = 60.0


class Nothing(Model):
    """Asks for nothing, and answers it."""


def probe_sandbox() -> Sandbox:
    """Starts a sandboxed process that does nothing and returns how far it was confined.

    Raises:
        RuntimeError: If it could not be started at all.
    """
    ended = run_worker("nothing", Nothing(), Nothing, limits=Limits(wall_s=_TIMEOUT_S), sandboxed=True)
    if ended.sandbox is None or not isinstance(ended, Answer):
        reason = "it did not say how far it is confined" if isinstance(ended, Answer) else ended.reason
        raise RuntimeError(f"a sandboxed process could not be started: {reason}")
    return ended.sandbox
