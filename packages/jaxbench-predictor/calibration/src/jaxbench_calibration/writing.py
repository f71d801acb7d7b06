"""Writes what a calibration found: the accuracy as JSON and Markdown, and the constants for the package."""

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

_VERSIONS = ("jax", "jaxlib", "libtpu")


def write_results(
    directory: Path, date: str, fits: Sequence[Fit], cases: Sequence[Case], comparisons: Sequence[Comparison]
) -> None:
    """Writes `accuracy.json` and `accuracy.md`; the first fit is that of the package's model."""
    content = _content(date, fits, cases, comparisons)
    directory.mkdir(exist_ok=True)
    (directory / "accuracy.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    (directory / "accuracy.md").write_text(_markdown(content), encoding="utf-8")


def write_constants(path: Path, date: str, chosen: Fit, cases: Sequence[Case]) -> None:
    """Writes the fitted constants of v6e for the package."""
    ratios = 1 / chosen.left_out
    versions = ", ".join(f"{name} {version(name)}" for name in _VERSIONS)
    content = {
        "version": f"v6e-{date}",
        "hbm_bytes_per_s": chosen.constants["bandwidth"] * 1e9,
        "hbm_sustained_bytes_per_s": chosen.constants["bandwidth"] * chosen.constants["sustained"] * 1e9,
        "hbm_sustained_after_s": SUSTAINED_AFTER_MS / 1e3,
        "dma_latency_cycles": chosen.constants["latency"],
        "matmul_slowdown": chosen.constants["slowdown"],
        "low_ratio": round(float(np.quantile(ratios, 0.1)), 3),
        "high_ratio": round(float(np.quantile(ratios, 0.9)), 3),
        "fit_set": f"{len(cases)} published device times of programs on one v6e; compiled with {versions}; {date}",
    }
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
    ]
    return "\n\n".join(parts) + "\n"


def _figures(row: Mapping[str, float] | Errors) -> tuple[str, ...]:
    assert isinstance(row, Mapping)
    return tuple(f"{row[key]:.3f}" for key in ("median", "mean", "ninetieth", "largest"))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
