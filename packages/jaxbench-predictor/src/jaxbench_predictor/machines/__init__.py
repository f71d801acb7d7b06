"""Machines: what a prediction takes for granted about a TPU, each number with where it comes from."""

from jaxbench_predictor.machines.catalogue import MACHINES, UnknownTargetError, get_machine
from jaxbench_predictor.machines.machine import Constant, Machine, Standing

__all__ = ["MACHINES", "Constant", "Machine", "Standing", "UnknownTargetError", "get_machine"]
