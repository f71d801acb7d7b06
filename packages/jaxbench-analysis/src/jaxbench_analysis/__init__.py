"""Polars frames, statistics and charts from JAXBench records."""

from importlib.metadata import version

__all__ = ["__version__"]

__version__ = version("jaxbench-analysis")
