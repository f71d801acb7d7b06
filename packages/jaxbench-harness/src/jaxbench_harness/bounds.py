"""Physical lower limits on a workload's time on a target."""

from jaxbench_harness.records import Bound
from jaxbench_harness.targets import Target
from jaxbench_harness.workload import Workload


def bound_for(workload: Workload, target: Target, size: str = "full") -> Bound:
    """Returns the compute and HBM bounds: useful FLOPs over peak bf16 FLOP/s, useful bytes over HBM bandwidth."""
    dims = workload.size(size)
    flops, hbm_bytes = workload.useful_flop_count(dims), workload.useful_byte_count(dims)
    return Bound(
        flops=flops,
        hbm_bytes=hbm_bytes,
        compute_ns=target.compute_time_s(flops) * 1e9,
        hbm_ns=target.hbm_time_s(hbm_bytes) * 1e9,
        nominal_flops=workload.flop_count(dims),
        nominal_bytes=workload.min_bytes(dims),
    )
