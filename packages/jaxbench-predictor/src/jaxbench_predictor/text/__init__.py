"""Predictions as text for a terminal. Imports no JAX."""

from jaxbench_predictor.text.rendering import render

__all__ = ["render"]
