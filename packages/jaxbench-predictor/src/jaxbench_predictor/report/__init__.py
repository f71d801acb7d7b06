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
from jaxbench_predictor.report.timeline import write_timeline

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
    "write_timeline",
]
