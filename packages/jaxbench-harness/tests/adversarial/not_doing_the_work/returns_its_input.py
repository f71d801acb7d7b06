"""Returns its input times the gain: the norm of a standard normal row is nearly the row itself.

trick: 2
workload: 12p_RMSNorm
outcome: reject
stage: check
code: element_error
"""


def workload(x, scale):
    return x * scale
