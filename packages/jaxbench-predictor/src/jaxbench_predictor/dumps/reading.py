"""Reads the files that libtpu wrote for one module. Imports no JAX."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from jaxbench_predictor.dumps.equivalence import Equivalence
from jaxbench_predictor.dumps.scoped_memory import SCOPED_VMEM, parse_scoped_vmem
from jaxbench_predictor.listing.model import Listing, ListingError, Op
from jaxbench_predictor.listing.naming import TOP_LEVEL
from jaxbench_predictor.listing.parsing import parse_listing
from jaxbench_predictor.listing.schedule import Schedule
from jaxbench_predictor.listing.utilization import Utilization, parse_utilization

_FILE = re.compile(
    r"(?P<time>\d+)-(?P<name>.+?)-(?:(?P<number>\d+)-)?"
    r"(?P<kind>packed-bundles-post-ra|pre-delay_hlo-static-per-bundle-utilization|deduplication-map|hlo)\.txt"
)
_LISTING = "packed-bundles-post-ra"
_UTILIZATION = "pre-delay_hlo-static-per-bundle-utilization"
_REMAINDER = "kRem"
_KEY = re.compile(r"key:(?P<key>.*)")


def read_schedule(directory: Path) -> Schedule:
    """Reads a dump directory that holds one module.

    Raises:
        ListingError: It holds none, or several, or a file has a form that is not known.
    """
    return schedule_of(
        {
            path.name: path.read_text()
            for path in directory.iterdir()
            if _FILE.fullmatch(path.name) or path.name == SCOPED_VMEM
        }
    )


def schedule_of(files: Mapping[str, str]) -> Schedule:
    """Makes a schedule from the texts of dump files by name; others than those of schedules are left out.

    Raises:
        ListingError: They are not those of one module, or one has a form that is not known.
    """
    listings: dict[str, Listing] = {}
    utilization: dict[str, Utilization] = {}
    representatives: dict[str, str] | None = None
    hlo = ""
    for match, text in _known(files.items()):
        name, kind = match["name"], match["kind"]
        if kind == _LISTING:
            if name in listings:
                raise ListingError(f"two listings of {name!r}: the dump holds more than one module")
            listings[name] = parse_listing(name, text)
        elif kind == _UTILIZATION:
            utilization[name] = parse_utilization(text)
        elif kind == "hlo" and name == TOP_LEVEL:
            hlo = text
        elif kind == "deduplication-map":
            representatives = (representatives or {}) | _representatives(text)
    if TOP_LEVEL not in listings:
        raise ListingError("the compiler wrote no schedule of a top-level program")
    if representatives is None:
        # Only older compilers write no map.
        listings = {name: _with_remainders(listing) for name, listing in listings.items()}
        representatives = Equivalence(hlo).representatives(listings)
    return Schedule(listings, representatives, hlo, utilization, parse_scoped_vmem(files.get(SCOPED_VMEM, "")))


def _known(files: Iterable[tuple[str, str]]) -> Iterator[tuple[re.Match[str], str]]:
    for name, text in files:
        match = _FILE.fullmatch(name)
        if match is not None and not match["name"].endswith("-schedule-analysis") and "schedule-analysis" not in name:
            yield match, text


def _representatives(text: str) -> dict[str, str]:
    """Returns, for each HLO of a de-duplication map, the one whose listing was written."""
    found: dict[str, str] = {}
    key = ""
    for line in text.splitlines():
        if match := _KEY.fullmatch(line):
            key = match["key"]
        elif line.startswith("  "):
            found[line.strip()] = key
    return found


def _with_remainders(listing: Listing) -> Listing:
    """Names what divisions yield, which older compilers do not: they divide to find the slot of a window."""
    return replace(listing, bundles=tuple(tuple(map(_with_remainder, bundle)) for bundle in listing.bundles))


def _with_remainder(op: Op) -> Op:
    return replace(op, comment=_REMAINDER) if op.opcode == "sdivrem.u32" and not op.comment else op
