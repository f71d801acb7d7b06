"""The kernels: one module per family of operations. Each runs in a candidate; none is imported to judge one."""
