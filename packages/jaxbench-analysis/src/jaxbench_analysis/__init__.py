"""Polars frames, statistics and charts from JAXBench records.

Figures are in `jaxbench_analysis.figures` and reports in `jaxbench_analysis.report`, which import Altair.
"""

from importlib.metadata import version

from jaxbench_analysis.bounds import BOUND_SCHEMA, with_bounds
from jaxbench_analysis.calibration import calibration, calibration_pairs, pairs_within
from jaxbench_analysis.columns import COLUMNS, SCHEMA, Column
from jaxbench_analysis.compacting import compact, expand
from jaxbench_analysis.comparable import comparable
from jaxbench_analysis.comparing import compare
from jaxbench_analysis.deviations import sample_deviations, sample_summary
from jaxbench_analysis.documents import read_documents
from jaxbench_analysis.errors import (
    AnalysisError,
    MissingColumnsError,
    MixedRecordsError,
    NewerSchemaError,
    ResultsError,
)
from jaxbench_analysis.failures import failure_counts, waterfall
from jaxbench_analysis.headway import headway
from jaxbench_analysis.loading import Loaded, LoadReport, load_results, merged
from jaxbench_analysis.published import published_records, published_spread
from jaxbench_analysis.ranking import rank_speedups, ranking
from jaxbench_analysis.record_lines import Problem, frame_of
from jaxbench_analysis.sampling import best_so_far, correctness, solved_at
from jaxbench_analysis.selecting import Selection, run_or_method
from jaxbench_analysis.speedups import Speedups, speedups
from jaxbench_analysis.standings import against, standings
from jaxbench_analysis.summaries import fast_p, per_family, summaries

__all__ = [
    "BOUND_SCHEMA",
    "COLUMNS",
    "SCHEMA",
    "AnalysisError",
    "Column",
    "LoadReport",
    "Loaded",
    "MissingColumnsError",
    "MixedRecordsError",
    "NewerSchemaError",
    "Problem",
    "ResultsError",
    "Selection",
    "Speedups",
    "__version__",
    "against",
    "best_so_far",
    "calibration",
    "calibration_pairs",
    "compact",
    "comparable",
    "compare",
    "correctness",
    "expand",
    "failure_counts",
    "fast_p",
    "frame_of",
    "headway",
    "load_results",
    "merged",
    "pairs_within",
    "per_family",
    "published_records",
    "published_spread",
    "rank_speedups",
    "ranking",
    "read_documents",
    "run_or_method",
    "sample_deviations",
    "sample_summary",
    "solved_at",
    "speedups",
    "standings",
    "summaries",
    "waterfall",
    "with_bounds",
]

__version__ = version("jaxbench-analysis")
