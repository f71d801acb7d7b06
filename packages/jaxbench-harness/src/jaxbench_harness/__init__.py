"""Judges TPU kernels: source in, verdict and record out."""

from importlib.metadata import version

__version__ = version("jaxbench-harness")
