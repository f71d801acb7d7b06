"""Expert kernels as baselines for JAXBench workloads."""

from importlib.metadata import version

__all__ = ["__version__"]

__version__ = version("jaxbench-baselines")
