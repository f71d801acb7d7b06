"""Says where the predicted time goes. Imports no JAX."""

from jaxbench_predictor.report.making import make_report
from jaxbench_predictor.report.model import (
    Bottleneck,
    Bounds,
    HloTime,
    HotLoop,
    ProgramTime,
    Report,
    Traffic,
    UnitUse,
    WaitTime,
)

__all__ = [
    "Bottleneck",
    "Bounds",
    "HloTime",
    "HotLoop",
    "ProgramTime",
    "Report",
    "Traffic",
    "UnitUse",
    "WaitTime",
    "make_report",
]
