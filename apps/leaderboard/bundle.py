"""Writes the data that comes with the leaderboard: the catalogue, and records of this project's own runs.

Usage: uv run apps/leaderboard/bundle.py [RESULTS]

RESULTS is a results folder, such as `jaxbench run --all --target v6e` leaves; without it the bundled records stay.
Kernel sources in RESULTS/sources come along for the candidates that have records.
"""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from jaxbench_harness.cli.workload_documents import ShowDocument
from jaxbench_harness.registry import all_releases, all_workloads
from jaxbench_harness.store import read_records
from jaxbench_leaderboard.workload_cards import Argument, Catalogue, ReleaseCard, WorkloadCard

BUNDLED = Path(__file__).parent / "src" / "jaxbench_leaderboard" / "bundled"
CATALOGUE = BUNDLED / "catalogue.json"
DEMO = BUNDLED / "demo"
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


def record_lines(results: Path) -> Iterator[tuple[str, str]]:
    """Yields candidate digest and line of every record below a folder, in the order of files and lines."""
    for path in sorted(results.rglob("*.jsonl")):
        for record in read_records(path):
            yield record.candidate.digest, record.model_dump_json() + "\n"


def write_demo(results: Path) -> int:
    """Replaces the bundled records and their sources; returns how many records."""
    lines = list(record_lines(results))
    if not lines:
        raise SystemExit(f"error: no record below {results}; run `jaxbench run --all --target v6e` first")
    shutil.rmtree(DEMO, ignore_errors=True)
    DEMO.mkdir(parents=True)
    (DEMO / "records.jsonl").write_text("".join(line for _, line in lines), encoding="utf-8")
    for digest in sorted({digest for digest, _ in lines}):
        source = results / "sources" / digest
        if source.is_dir():
            shutil.copytree(source, DEMO / "sources" / digest)
    return len(lines)


def main() -> None:
    """Writes and says what."""
    CATALOGUE.write_text(current_catalogue().model_dump_json(indent=1) + "\n", encoding="utf-8")
    if len(sys.argv) > 1:
        count = write_demo(Path(sys.argv[1]))
        sys.stdout.write(f"{count} records in {DEMO}\n")
    sys.stdout.write(f"{CATALOGUE} written\n")


if __name__ == "__main__":
    main()
