"""Raises while it is traced."""


def workload(A, B):
    raise ValueError(f"cannot tile {A.shape}")
