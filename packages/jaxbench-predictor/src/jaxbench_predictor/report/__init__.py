"""Says where the predicted time goes. Imports no JAX."""

from jaxbench_predictor.report.making import make_report
from jaxbench_predictor.report.model import Bottleneck, HloTime, HotLoop, Report, Traffic, WaitTime

__all__ = ["Bottleneck", "HloTime", "HotLoop", "Report", "Traffic", "WaitTime", "make_report"]
