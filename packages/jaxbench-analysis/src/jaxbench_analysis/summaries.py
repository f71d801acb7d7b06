"""One row per entrant: what it solved and how fast that is on the whole."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from jaxbench_analysis.intervals import Draws, percentile_interval
from jaxbench_analysis.speedups import Speedups

_COUNTS = ("solved", "flagged", "failed", "not_judged", "not_tried")

SUMMARY_SCHEMA = pl.Schema(
    {
        "entrant": pl.String(),
        "workloads": pl.Int64(),
        **dict.fromkeys(_COUNTS, pl.Int64()),
        "compared": pl.Int64(),
        "geomean_solved": pl.Float64(),
        "geomean_solved_low": pl.Float64(),
        "geomean_solved_high": pl.Float64(),
        "geomean_solved_suite_low": pl.Float64(),
        "geomean_solved_suite_high": pl.Float64(),
        "geomean_all_missing_as_1": pl.Float64(),
        "geomean_all_missing_as_1_low": pl.Float64(),
        "geomean_all_missing_as_1_high": pl.Float64(),
        "geomean_all_missing_as_1_suite_low": pl.Float64(),
        "geomean_all_missing_as_1_suite_high": pl.Float64(),
        "median_bound_fraction": pl.Float64(),
        "median_gap_recovered": pl.Float64(),
    }
)


def summaries(compared: Speedups, *, seed: int = 0) -> pl.DataFrame:
    """Returns one row per entrant, by name, with the columns of `SUMMARY_SCHEMA`.

    Counts: `workloads` in all, by state, and `compared`: those with a speedup. Both geometric means are null where
    nothing was compared. `geomean_solved` is over the compared ones. `geomean_all_missing_as_1` is over all workloads:
    one without a speedup counts as 1, as if the baseline ran there. No speedup is clipped.

    `_low`, `_high`: 95% interval from the noise of the times, the workloads being what they are; null where a speedup
    has none. `_suite_low`, `_suite_high`: 95% interval by a bootstrap over workloads, as if they were drawn from many
    of their like; null with fewer than two of them.

    Args:
        compared: The speedups.
        seed: Of the bootstrap over workloads.
    """
    rows: list[dict[str, object]] = []
    table = compared.table.with_row_index("row")
    for (entrant,), part in table.group_by("entrant", maintain_order=True):
        rng = np.random.default_rng(seed)
        has = part.filter(pl.col("speedup").is_not_null())
        logs = np.log(has["speedup"].to_numpy())
        noise = np.log(compared.draws[has["row"].to_list()])
        missing = part.height - has.height
        states = part["state"].cast(pl.String).to_list()
        row: dict[str, object] = {
            "entrant": entrant,
            "workloads": part.height,
            **{name: states.count(name) for name in _COUNTS},
            "compared": has.height,
            "median_bound_fraction": has["bound_fraction"].median(),
            "median_gap_recovered": has["gap_recovered"].median(),
        }
        row |= _geomean("geomean_solved", logs, noise, 0, rng)
        row |= _geomean("geomean_all_missing_as_1", logs, noise, missing, rng)
        rows.append(row)
    return pl.DataFrame(rows, schema=SUMMARY_SCHEMA, orient="row").sort("entrant")


def _geomean(name: str, logs: Draws, noise: Draws, missing: int, rng: np.random.Generator) -> dict[str, float | None]:
    """Returns the geometric mean of speedups given by their logarithms, and of `missing` ones that count as 1."""
    if not len(logs):
        return {}
    number = len(logs) + missing
    result: dict[str, float | None] = {name: float(np.exp(logs.sum() / number))}
    if not np.isnan(noise).any():
        result |= _ends(name, np.exp(noise.sum(axis=0) / number))
    if number > 1:
        padded = np.concatenate([logs, np.zeros(missing)])
        chosen = rng.integers(0, number, (noise.shape[1], number))
        result |= _ends(f"{name}_suite", np.exp(padded[chosen].mean(axis=1)))
    return result


def _ends(name: str, draws: Draws) -> dict[str, float | None]:
    return dict(zip((f"{name}_low", f"{name}_high"), percentile_interval(draws), strict=True))


def per_family(compared: Speedups) -> pl.DataFrame:
    """Returns geometric means of the compared workloads by entrant and family: entrant, family, compared, geomean."""
    grouped = compared.table.filter(pl.col("speedup").is_not_null()).group_by("entrant", "family")
    means = grouped.agg(compared=pl.len(), geomean=pl.col("speedup").log().mean().exp())
    return means.sort("entrant", "family")


def fast_p(compared: Speedups, thresholds: Sequence[float]) -> pl.DataFrame:
    """Returns the share of all workloads that an entrant solved with a speedup above each threshold.

    fast_p = #{solved and speedup > p} / #workloads (Ouyang et al., KernelBench, 2025). What is unsolved, untimed or
    without a baseline is in the denominator and never in the numerator.

    Args:
        compared: The speedups.
        thresholds: Values of p.

    Returns:
        entrant, p, fast_p: by entrant, in the order of `thresholds`.
    """
    levels = pl.DataFrame({"p": pl.Series(thresholds, dtype=pl.Float64)})
    above = (pl.col("speedup") > pl.col("p")).fill_null(value=False)
    crossed = compared.table.select("entrant", "speedup").join(levels.with_row_index("order"), how="cross")
    shares = crossed.group_by("entrant", "order", "p").agg(fast_p=above.mean())
    return shares.sort("entrant", "order").select("entrant", "p", "fast_p")
