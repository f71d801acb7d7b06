"""`jaxbench rank`: the ranking of entrants."""

from pathlib import Path

from jaxbench_analysis.cli.documents import RankDocument
from jaxbench_analysis.cli.talking import (
    BaselineOption,
    ClockOption,
    JsonOption,
    KindOption,
    PlacesArgument,
    PredictorOption,
    ReleaseOption,
    SourceOption,
    TargetOption,
    print_json,
    print_table,
    report_left_out,
    usage_errors,
)
from jaxbench_analysis.loading import load_results, merged
from jaxbench_analysis.ranking import ranking
from jaxbench_analysis.selecting import Selection
from jaxbench_analysis.shipped import shipped_results
from jaxbench_analysis.tables import ranking_table

_OWN = "results"
"""Where a run leaves its records."""

_SHIPPED_TARGET = "v6e"
"""Target that is shown of records that packages come with, where none is asked for."""


def rank(
    results: PlacesArgument = None,
    kind: KindOption = None,
    target: TargetOption = None,
    release: ReleaseOption = None,
    source: SourceOption = None,
    clock: ClockOption = None,
    predictor: PredictorOption = None,
    baseline: BaselineOption = "xla",
    as_json: JsonOption = False,
) -> None:
    """Rank entrants by the geometric mean of their speedups; intervals that overlap share a rank."""
    with usage_errors():
        places = results or _own_places()
        if not places:
            places, target = [*shipped_results()] or [_OWN], target or _SHIPPED_TARGET
        selection = Selection(kind, target, release, source, clock, predictor)
        loaded = merged([load_results(place) for place in places])
        report_left_out(loaded.report)
        ranked = ranking(selection.of(loaded.frame), baseline=baseline)
    if as_json:
        print_json(RankDocument.of(ranked, baseline))
        return
    print_table(
        ranking_table(ranked), f"speedup over {baseline}; a workload without a speedup counts as 1 in the score"
    )


def _own_places() -> list[str]:
    """Returns where a run leaves its records, if there are any."""
    return [_OWN] if Path(_OWN).exists() else []
