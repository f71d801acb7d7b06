"""Writes the catalogue that comes with the leaderboard.

Usage: uv run apps/leaderboard/bundle.py
"""

import sys
from pathlib import Path

from jaxbench_harness.cli.workload_documents import ShowDocument
from jaxbench_harness.registry import all_releases, all_workloads
from jaxbench_leaderboard.workload_cards import Argument, Catalogue, ReleaseCard, WorkloadCard

BUNDLED = Path(__file__).parent / "src" / "jaxbench_leaderboard" / "bundled"
CATALOGUE = BUNDLED / "catalogue.json"
BENCHMARK_TIERS = ("production", "kernelbench")


def current_catalogue() -> Catalogue:
    """Returns the catalogue of the workloads and releases that are installed."""
    documents = (ShowDocument.of(one) for one in all_workloads().values() if one.tier in BENCHMARK_TIERS)
    releases = (
        ReleaseCard(
            name=one.name,
            status=one.manifest.status,
            date=str(one.manifest.date),
            workloads=len(one.workloads),
            label=one.label,
        )
        for one in all_releases().values()
    )
    return Catalogue(releases=tuple(releases), workloads=tuple(map(card_of, documents)))


def card_of(document: ShowDocument) -> WorkloadCard:
    """Returns what a page says of a workload."""
    full = document.sizes["full"]
    return WorkloadCard(
        id=document.id,
        version=document.version,
        digest=document.digest,
        title=document.title,
        tier=document.tier,
        family=document.family,
        model=document.model,
        semantics=document.semantics,
        arguments=tuple(
            Argument(name=one.name, type=type_, meaning=one.meaning)
            for one, type_ in zip(document.arguments, full.arguments, strict=True)
        ),
        output=full.output,
        tolerance=document.tolerance,
        shortcut=document.shortcut,
        bounds=document.bounds,
        reference=document.source,
    )


def main() -> None:
    """Writes and says so."""
    CATALOGUE.write_text(current_catalogue().model_dump_json(indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"{CATALOGUE} written\n")


if __name__ == "__main__":
    main()
