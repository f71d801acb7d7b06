import os

from jaxbench_workloads.audit.plan import ENDED_FROM_OUTSIDE, AuditPlan, audit_all


class EndsItsProcess:
    """What ends the process that it is sent to, as the kernel ends one for want of memory."""

    def __reduce__(self):
        return os._exit, (1,)


def test_a_process_that_is_ended_leaves_the_others_their_report():
    plan = AuditPlan(seeds=EndsItsProcess())
    found = dict(audit_all(["8p_GEMM", "12p_RMSNorm"], plan, jobs=1))
    assert found == {"8p_GEMM": ENDED_FROM_OUTSIDE, "12p_RMSNorm": ENDED_FROM_OUTSIDE}
