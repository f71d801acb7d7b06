"""Figures: each a function from a frame to a chart, in one theme. `save_figure` writes charts to files."""

from jaxbench_analysis.figures.calibration_scatter import calibration_scatter
from jaxbench_analysis.figures.call_times import call_times
from jaxbench_analysis.figures.failure_bars import failure_bars
from jaxbench_analysis.figures.fast_p_curves import fast_p_curves
from jaxbench_analysis.figures.headroom import headroom
from jaxbench_analysis.figures.outcome_bars import outcome_bars
from jaxbench_analysis.figures.progress import progress, progress_panels
from jaxbench_analysis.figures.roofline import roofline
from jaxbench_analysis.figures.sample_distribution import sample_distribution
from jaxbench_analysis.figures.saving import FORMATS, rendered, save_figure
from jaxbench_analysis.figures.speedup_bars import speedup_bars
from jaxbench_analysis.figures.speedup_map import speedup_map
from jaxbench_analysis.figures.stage_waterfall import stage_waterfall
from jaxbench_analysis.figures.theme import Mode, themed
from jaxbench_analysis.figures.time_bars import time_bars

__all__ = [
    "FORMATS",
    "Mode",
    "calibration_scatter",
    "call_times",
    "failure_bars",
    "fast_p_curves",
    "headroom",
    "outcome_bars",
    "progress",
    "progress_panels",
    "rendered",
    "roofline",
    "sample_distribution",
    "save_figure",
    "speedup_bars",
    "speedup_map",
    "stage_waterfall",
    "themed",
    "time_bars",
]
