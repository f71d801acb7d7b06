"""Example of a candidate that HANGS: importing it never returns.

It stands for every candidate that does not come back by itself (an endless search, a lost lock), and only a
time limit on the process that imports it can reject it. It has no tiling and no VMEM budget, because its
`workload`, which would answer `8p_GEMM` with plain `A @ B`, is never reached.
"""

while True:  # Never ends, on purpose: nothing below this loop runs.
    pass


def workload(A, B):
    return A @ B
