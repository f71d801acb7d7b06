"""Records that installed packages come with, such as those of the baselines; by name, like `published`."""

from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path

from jaxbench_analysis.errors import ResultsError

GROUP = "jaxbench.results"
"""Entry points that name the path of a results folder."""


def shipped_results() -> Mapping[str, Path]:
    """Returns the results folders that packages come with, by name.

    Raises:
        ResultsError: If an entry point is no path.
    """
    found: dict[str, Path] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        folder = point.load()
        if not isinstance(folder, Path):
            raise ResultsError(f"entry point {point.value!r} is a {type(folder).__name__}, not the path of a folder")
        found[point.name] = folder
    return found


def results_path(place: Path | str) -> Path:
    """Returns where the results of a place are: of shipped ones, their folder; else the path itself."""
    return shipped_results().get(str(place), Path(place))
