"""Writes what a calibration found: the accuracy as JSON and Markdown, and the constants for the package."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from jaxbench_calibration.cases import Case, Family
from jaxbench_calibration.comparing import Comparison
from jaxbench_calibration.fitting import Errors, Fit, errors, rank_correlation
from jaxbench_calibration.models import SUSTAINED_AFTER_MS

_MARK = "not fitted: "
"""How the note of a program begins that has a published time, but is another program."""

_VERSIONS = ("jax", "jaxlib", "libtpu")


def write_results(
    directory: Path,
    date: str,
    fits: Sequence[Fit],
    cases: Sequence[Case],
    others: Sequence[Case],
    comparisons: Sequence[Comparison],
    unrecorded: Mapping[str, str],
) -> None:
    """Writes `accuracy.json` and `accuracy.md`.

    Args:
        directory: Where to.
        date: When the fits were made.
        fits: All models; the first is that of the package.
        cases: What was fitted to.
        others: What was not, with a record.
        comparisons: Pairs whose ratio was measured.
        unrecorded: Programs with a published time that have no record, and why.
    """
    content = _content(date, fits, cases, comparisons) | {
        "not_fitted": [_not_fitted(fits[0], case) for case in others],
        "unrecorded": dict(unrecorded),
    }
    directory.mkdir(exist_ok=True)
    (directory / "accuracy.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    (directory / "accuracy.md").write_text(_markdown(content), encoding="utf-8")


def write_constants(path: Path, date: str, chosen: Fit, cases: Sequence[Case]) -> None:
    """Writes the fitted constants of v6e for the package."""
    ratios = 1 / chosen.left_out
    versions = ", ".join(f"{name} {version(name)}" for name in _VERSIONS)
    constants = {
        "hbm_bytes_per_s": chosen.constants["bandwidth"] * 1e9,
        "hbm_sustained_bytes_per_s": chosen.constants["bandwidth"] * chosen.constants["sustained"] * 1e9,
        "hbm_sustained_after_s": SUSTAINED_AFTER_MS / 1e3,
        "dma_latency_cycles": chosen.constants["latency"],
        "matmul_slowdown": chosen.constants.get("slowdown"),
        "low_ratio": round(float(np.quantile(ratios, 0.1)), 3),
        "high_ratio": round(float(np.quantile(ratios, 0.9)), 3),
        "fit_set": f"{len(cases)} published device times of programs on one v6e; compiled with {versions}; {date}",
    }
    # Other constants of the same day are another version.
    digest = hashlib.sha256(json.dumps(constants).encode()).hexdigest()[:6]
    content = {"version": f"v6e-{date}-{digest}", **constants}
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _content(
    date: str, fits: Sequence[Fit], cases: Sequence[Case], comparisons: Sequence[Comparison]
) -> dict[str, Any]:
    chosen = fits[0]
    return {
        "date": date,
        "versions": {name: version(name) for name in _VERSIONS},
        "constants": chosen.constants,
        "rank_correlation": rank_correlation(cases, chosen.left_out),
        "models": [_model(found) for found in fits],
        "families": {
            family: asdict(errors(chosen.left_out[[case.family is family for case in cases]]))
            for family in Family
            if any(case.family is family for case in cases)
        },
        "programs": [
            {
                "program": case.program.name,
                "measured_ms": case.measured_ms,
                "zero_weights": case.zero_weights,
                "ratio": round(float(ratio), 4),
                "ratio_left_out": round(float(left_out), 4),
                "note": case.program.note,
            }
            for case, ratio, left_out in zip(cases, chosen.ratios, chosen.left_out, strict=True)
        ],
        "comparisons": [asdict(comparison) for comparison in comparisons],
    }


def _not_fitted(chosen: Fit, case: Case) -> dict[str, Any]:
    """Returns a row about a program outside the fit set; untuned block sizes have no published time of their own."""
    time_ms = chosen.model.time_ms(case, **chosen.constants)
    marked = case.program.note.startswith(_MARK)
    return {
        "program": case.program.name,
        "predicted_ms": round(time_ms, 4),
        "published_ms": round(case.measured_ms, 4) if marked else None,
        "why": case.program.note.removeprefix(_MARK) if marked else "block sizes other than those that were measured",
    }


def _model(found: Fit) -> dict[str, Any]:
    return {
        "name": found.model.name,
        "what": found.model.what,
        "constants": found.constants,
        "fitted": asdict(errors(found.ratios)),
        "left_out": asdict(errors(found.left_out)),
        "held_back": {name: asdict(error) | {"constants": point} for name, (error, point) in found.held_back.items()},
    }


def _markdown(content: Mapping[str, Any]) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in content["versions"].items())
    constants = ", ".join(f"{name} {value:g}" for name, value in content["constants"].items())
    within = [abs(np.log(row["ratio_left_out"])) for row in content["programs"]]
    parts = [
        "# Accuracy",
        (
            "Written by `uv run calibrate`. Ratios are predicted over measured time; errors are |ln(ratio)|. A program "
            "is *left out* where its ratio comes from constants fitted to all others."
        ),
        (
            f"{len(within)} programs, {content['date']}, {versions}. Constants: {constants} (GB/s, cycles, share). "
            f"Spearman, left out: {content['rank_correlation']:.4f}. "
            f"Within 5%: {np.mean(np.array(within) < 0.05):.0%}, "
            f"within 10%: {np.mean(np.array(within) < 0.1):.0%}."
        ),
        "## Models tried",
        _table(
            ("model", "constants", "median, left out", "mean", "90%", "largest", *content["models"][0]["held_back"]),
            (
                (
                    f"**{row['name']}**: {row['what']}",
                    ", ".join(f"{value:g}" for value in row["constants"].values()),
                    *_figures(row["left_out"]),
                    *(f"{error['median']:.3f} / {error['mean']:.3f}" for error in row["held_back"].values()),
                )
                for row in content["models"]
            ),
        ),
        "The last two columns are median / mean of the errors on what was not fitted to.",
        "## Families, left out",
        _table(
            ("family", "programs", "median", "mean", "90%", "largest"),
            ((name, str(row["count"]), *_figures(row)) for name, row in content["families"].items()),
        ),
        "## Pairs",
        _table(
            ("pair", "measured speedup", "predicted", "note"),
            (
                (row["name"], f"{row['measured']:.3f}", f"{row['predicted']:.3f}", row["note"])
                for row in content["comparisons"]
            ),
        ),
        "## Programs",
        _table(
            ("program", "measured ms", "ratio", "left out", "weights zero", "note"),
            (
                (
                    row["program"],
                    f"{row['measured_ms']:.4f}",
                    f"{row['ratio']:.3f}",
                    f"{row['ratio_left_out']:.3f}",
                    "yes" if row["zero_weights"] else "",
                    row["note"],
                )
                for row in content["programs"]
            ),
        ),
        "## Programs that are not fitted to",
        _table(
            ("program", "published ms", "predicted ms", "ratio", "why"),
            (
                *map(_not_fitted_cells, content["not_fitted"]),
                *((name, "", "", "", why) for name, why in content["unrecorded"].items()),
            ),
        ),
    ]
    return "\n\n".join(parts) + "\n"


def _not_fitted_cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    predicted, published = row["predicted_ms"], row["published_ms"]
    if published is None:
        return row["program"], "", f"{predicted:.4f}", "", row["why"]
    return row["program"], f"{published:.4f}", f"{predicted:.4f}", f"{predicted / published:.3f}", row["why"]


def _figures(row: Mapping[str, float] | Errors) -> tuple[str, ...]:
    assert isinstance(row, Mapping)
    return tuple(f"{row[key]:.3f}" for key in ("median", "mean", "ninetieth", "largest"))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
