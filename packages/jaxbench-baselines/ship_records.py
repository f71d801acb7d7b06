"""Writes the records that come with the baselines, and an archive of their sources.

Usage: uv run packages/jaxbench-baselines/ship_records.py RESULTS

RESULTS is a results folder, such as `jaxbench run --all --baseline expert` leaves. Of several records of one baseline
on one workload and target the newest is taken; what is shipped already and not in RESULTS stays.
"""

import sys
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from jaxbench_baselines.records import FOLDER
from jaxbench_harness.records import Record
from jaxbench_harness.source_store import SOURCES
from jaxbench_harness.store import read_records

ARCHIVE = "sources.zip"
BUILDER = "builder"
"""Name of the machine in shipped records."""
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""Time of every file in the archive, so that equal sources make equal archives."""


def newest(folders: Iterable[Path]) -> dict[tuple[str, str, str], Record]:
    """Returns the newest record of each baseline by target, workload and name; candidates' records are left out."""
    found: dict[tuple[str, str, str], Record] = {}
    for path in (path for folder in folders for path in sorted(folder.glob("*.jsonl"))):
        for record in read_records(path):
            key = (record.config.target, record.workload.id, record.candidate.name)
            if record.candidate.role != "candidate" and (key not in found or found[key].created_at < record.created_at):
                found[key] = record
    return found


def sources(folders: Iterable[Path], digests: Iterable[str]) -> dict[str, bytes]:
    """Returns the kept files of candidates by digest and path."""
    found: dict[str, bytes] = {}
    wanted = set(digests)
    for folder in folders:
        for path in sorted((folder / SOURCES).rglob("*")):
            name = path.relative_to(folder / SOURCES).as_posix()
            if path.is_file() and name.partition("/")[0] in wanted:
                found[name] = path.read_bytes()
        if (archive := folder / ARCHIVE).is_file():
            with zipfile.ZipFile(archive) as kept:
                names = [name for name in kept.namelist() if name.partition("/")[0] in wanted]
                found |= {name: kept.read(name) for name in names}
    return found


def write(folder: Path, records: Mapping[tuple[str, str, str], Record], files: Mapping[str, bytes]) -> None:
    """Writes one file of records per target, and the archive."""
    for target in {target for target, _, _ in records}:
        chosen = [records[key] for key in sorted(records) if key[0] == target]
        (folder / f"{target}.jsonl").write_text("".join(_line(record) for record in chosen), encoding="utf-8")
    with zipfile.ZipFile(folder / ARCHIVE, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), files[name], zipfile.ZIP_DEFLATED)


def _line(record: Record) -> str:
    environment = record.environment.model_copy(update={"host": BUILDER})
    return record.model_copy(update={"environment": environment}).model_dump_json() + "\n"


def main() -> None:
    """Writes and says how many."""
    if len(sys.argv) != 2 or not (results := Path(sys.argv[1])).is_dir():
        raise SystemExit("usage: uv run packages/jaxbench-baselines/ship_records.py RESULTS")
    places = (FOLDER, results)
    records = newest(places)
    write(FOLDER, records, sources(places, (record.candidate.digest for record in records.values())))
    sys.stdout.write(f"{len(records)} records in {FOLDER}\n")


if __name__ == "__main__":
    main()
