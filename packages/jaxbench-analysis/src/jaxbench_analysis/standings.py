"""One row per entrant with all that a leaderboard shows, and entrants against one of them."""

from collections.abc import Mapping, Sequence

import polars as pl

from jaxbench_analysis.comparing import Sides, compare_sides, sides_of
from jaxbench_analysis.errors import AnalysisError
from jaxbench_analysis.intervals import wilson_interval
from jaxbench_analysis.ranking import rank_speedups
from jaxbench_analysis.sampling import correctness
from jaxbench_analysis.speedups import Speedups
from jaxbench_analysis.summaries import summaries

_COUNTED: Mapping[str, str] = {
    "better": "wins",
    "worse": "losses",
    "no difference": "ties",
    "not tested": "not_tested",
    "only A": "only_other",
    "only B": "only_own",
    "neither": "neither",
}
"""Outcomes of a comparison, and what they are called from B's side."""


def standings(frame: pl.DataFrame | pl.LazyFrame, compared: Speedups) -> pl.DataFrame:
    """Returns the ranking with what explains it.

    Args:
        frame: The records that `compared` is of.
        compared: Their speedups.

    Returns:
        The rows and columns of `rank_speedups`; of `summaries`, the counts by state, geomean_solved_low,
        geomean_solved_high, median_bound_fraction and median_gap_recovered; and of `correctness`, samples, correct,
        correct_share, correct_low, correct_high. Baselines have no samples.
    """
    extra = (
        *("flagged", "failed", "not_judged", "not_tried", "geomean_solved_low", "geomean_solved_high"),
        *("median_bound_fraction", "median_gap_recovered"),
    )
    shares = correctness(frame.lazy().filter(pl.col("role") == "candidate")).rename(
        {"share": "correct_share", "low": "correct_low", "high": "correct_high"}
    )
    ranked = rank_speedups(compared).join(
        summaries(compared).select("entrant", *extra), on="entrant", how="left", validate="1:1", maintain_order="left"
    )
    return ranked.join(shares, on="entrant", how="left", validate="1:1", maintain_order="left")


def against(frame: pl.DataFrame | pl.LazyFrame, own: str, others: Sequence[str]) -> pl.DataFrame:
    """Counts the workloads on which one entrant is better than each of others, or worse, by the tests of `compare`.

    Args:
        frame: Records of one kind of time, target and release.
        own: The entrant.
        others: Those that it is compared with.

    Returns:
        A row per other: entrant; of workloads where both have a tested time, wins, ties and losses; not_tested;
        only_own, only_other and neither: who has a time; win_share, win_low, win_high: wins over wins, ties and
        losses, with Wilson's 95% interval, null where nothing was tested.

    Raises:
        MixedRecordsError: If the records may not stand in one aggregate.
        AnalysisError: If an entrant has no records.
    """
    sides = sides_of(frame.lazy().filter(pl.col("entrant").is_in([own, *others])))
    if unknown := [name for name in (own, *others) if name not in sides.entrants]:
        raise AnalysisError(f"no record of {unknown[0]}; nothing to compare")
    rows = [_against(sides, own, other) for other in others]
    counts = dict.fromkeys(_COUNTED.values(), pl.Int64())
    ends = dict.fromkeys(("win_share", "win_low", "win_high"), pl.Float64())
    return pl.DataFrame(rows, schema={"entrant": pl.String(), **counts, **ends})


def _against(sides: Sides, own: str, other: str) -> dict[str, object]:
    outcomes = compare_sides(sides, other, own)["outcome"].cast(pl.String).to_list()
    counts = {name: outcomes.count(outcome) for outcome, name in _COUNTED.items()}
    tested = counts["wins"] + counts["ties"] + counts["losses"]
    low, high = wilson_interval(counts["wins"], tested) or (None, None)
    share = counts["wins"] / tested if tested else None
    return {"entrant": other, **counts, "win_share": share, "win_low": low, "win_high": high}
