"""Answers with the reference of the workload itself."""

from jaxbench_workloads.normalization import rms_norm


def workload(x, scale):
    return rms_norm(x, scale, epsilon=1e-5)
