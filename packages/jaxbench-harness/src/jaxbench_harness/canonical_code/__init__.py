"""Code as data: what functions and values mean, without names of modules, layout, comments and annotations."""

from jaxbench_harness.canonical_code.graph import canonical

__all__ = ["canonical"]
