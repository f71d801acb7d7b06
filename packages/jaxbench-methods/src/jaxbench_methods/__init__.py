"""Feedback-driven methods that generate candidates."""

from importlib.metadata import version

__all__ = ["__version__"]

__version__ = version("jaxbench-methods")
