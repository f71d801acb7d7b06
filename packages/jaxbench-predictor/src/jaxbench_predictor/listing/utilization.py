"""Issue slots that each bundle of a listing uses."""

from dataclasses import dataclass

from jaxbench_predictor.listing.model import ListingError

_HEADERS = ("== CAPACTIY:", "== CAPACITY:")


@dataclass(frozen=True)
class Utilization:
    """Issue slots by unit.

    Attributes:
        units: Names of the columns, such as `MXU`.
        capacity: Slots per bundle, by column.
        rows: Slots used, one row per bundle of the listing.
    """

    units: tuple[str, ...]
    capacity: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]


def parse_utilization(text: str) -> Utilization:
    """Parses a `hlo-static-per-bundle-utilization` file.

    Raises:
        ListingError: It has another form.
    """
    lines = text.splitlines()
    if len(lines) < 4 or lines[0].strip() not in _HEADERS or not lines[3].startswith("== UTILIZATION"):
        raise ListingError("a utilization file of an unknown form")
    # Older compilers separate the names with bars.
    units = tuple(unit.strip() for unit in lines[1].replace("|", ",").split(","))
    capacity = tuple(map(int, lines[2].split()))
    rows = tuple(tuple(map(int, line.split())) for line in lines[4:] if line.strip())
    if any(len(row) != len(units) for row in (capacity, *rows)):
        raise ListingError("a utilization file whose rows have another length than its header")
    return Utilization(units, capacity, rows)
