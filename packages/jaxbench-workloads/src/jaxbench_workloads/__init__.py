"""The JAXBench workloads: references, sizes, input distributions and tolerances.

One module per family; `WORKLOADS` lists them all in benchmark order.
"""

from importlib.metadata import version

from jaxbench_harness.workload import Workload
from jaxbench_workloads import attention, matmul, matmul_fusion, mlp, normalization

__all__ = ["WORKLOADS", "__version__"]

__version__ = version("jaxbench-workloads")

WORKLOADS: tuple[Workload, ...] = (
    attention.FLASH_ATTENTION,
    matmul.GEMM,
    mlp.SWIGLU_MLP,
    normalization.RMS_NORM,
    matmul_fusion.MATMUL_SCALING_RESIDUAL_ADD,
    matmul_fusion.MATMUL_GELU_SOFTMAX,
)
