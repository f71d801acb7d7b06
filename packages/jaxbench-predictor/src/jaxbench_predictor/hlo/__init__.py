"""Reads the optimized HLO of a module and evaluates its integer part. Imports no JAX."""

from jaxbench_predictor.hlo.evaluating import evaluate_instruction
from jaxbench_predictor.hlo.module import Computation, HloModule, Instruction, parse_module
from jaxbench_predictor.hlo.shapes import Shape, UnevaluableError

__all__ = [
    "Computation",
    "HloModule",
    "Instruction",
    "Shape",
    "UnevaluableError",
    "evaluate_instruction",
    "parse_module",
]
