"""Catalogue: pages and a figure about the workloads, from the data that `jaxbench show` prints."""

from jaxbench_workloads.catalogue.pages import catalogue_pages

__all__ = ["catalogue_pages"]
