"""Imports the reference from the installed workloads and calls it.

trick: 20
workload: 12p_RMSNorm
outcome: flag
flags: no_pallas imports_reference
"""

from jaxbench_workloads import WORKLOADS

(rmsnorm,) = (known.reference for known in WORKLOADS if known.id == "12p_RMSNorm")


def workload(x, scale, *, epsilon):
    return rmsnorm(x, scale, epsilon=epsilon)
