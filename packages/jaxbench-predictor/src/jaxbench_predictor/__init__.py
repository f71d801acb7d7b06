"""Predicts device time and bottlenecks of a TPU program from the compiler's schedule, without a TPU."""

from importlib.metadata import version

from jaxbench_predictor.comparing import Comparison, Difference, compare
from jaxbench_predictor.dumps.compiling import Limits
from jaxbench_predictor.execution.inputs import Inputs
from jaxbench_predictor.machines import MACHINES, Machine, UnknownTargetError, get_machine
from jaxbench_predictor.outcome import Outcome, Prediction, Unavailable
from jaxbench_predictor.predicting import predict, predict_schedule
from jaxbench_predictor.text import render

__all__ = [
    "MACHINES",
    "Comparison",
    "Difference",
    "Inputs",
    "Limits",
    "Machine",
    "Outcome",
    "Prediction",
    "Unavailable",
    "UnknownTargetError",
    "__version__",
    "compare",
    "get_machine",
    "predict",
    "predict_schedule",
    "render",
]

__version__ = version("jaxbench-predictor")
