"""Predicts device time and bottlenecks of a TPU program from the compiler's schedule, without a TPU."""

from importlib.metadata import version

__all__ = ["__version__"]

__version__ = version("jaxbench-predictor")
