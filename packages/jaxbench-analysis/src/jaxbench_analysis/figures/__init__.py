"""Figures: each a function from a frame to a chart, in one theme. `save_figure` writes charts to files."""

from jaxbench_analysis.figures.calibration_scatter import calibration_scatter
from jaxbench_analysis.figures.fast_p_curves import fast_p_curves
from jaxbench_analysis.figures.progress import progress
from jaxbench_analysis.figures.roofline import roofline
from jaxbench_analysis.figures.sample_distribution import sample_distribution
from jaxbench_analysis.figures.saving import FORMATS, rendered, save_figure
from jaxbench_analysis.figures.speedup_bars import speedup_bars
from jaxbench_analysis.figures.speedup_map import speedup_map
from jaxbench_analysis.figures.stage_waterfall import stage_waterfall
from jaxbench_analysis.figures.theme import Mode, themed

__all__ = [
    "FORMATS",
    "Mode",
    "calibration_scatter",
    "fast_p_curves",
    "progress",
    "rendered",
    "roofline",
    "sample_distribution",
    "save_figure",
    "speedup_bars",
    "speedup_map",
    "stage_waterfall",
    "themed",
]
