"""Imports the reference from the installed workload and calls it.

trick: 20
outcome: flag
flags: no_pallas
"""

from adversarial_workloads import WORKLOADS


def workload(x, y):
    return WORKLOADS[0].reference(x, y)
