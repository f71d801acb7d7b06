"""A schedule: all listings of one compiled module."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from jaxbench_predictor.listing.model import Listing, ListingError
from jaxbench_predictor.listing.utilization import Utilization


@dataclass(frozen=True)
class Schedule:
    """What libtpu printed for one module.

    Attributes:
        listings: By name: the top-level program, the two late programs, and one per distinct HLO instruction.
        representatives: For an HLO that is equal to others, the name under which the listing of all is kept.
        hlo: The optimized, scheduled HLO text.
        utilization: Issue slots used per bundle, by listing.
        scoped_vmem: Bytes of VMEM that HLO instructions reserve; empty where the compiler did not say.
    """

    listings: Mapping[str, Listing]
    representatives: Mapping[str, str] = field(default_factory=dict[str, str])
    hlo: str = ""
    utilization: Mapping[str, Utilization] = field(default_factory=dict[str, Utilization])
    scoped_vmem: Mapping[str, int] = field(default_factory=dict[str, int])

    def find(self, name: str) -> Listing:
        """Returns the listing of the program called `name`.

        Raises:
            ListingError: There is none.
        """
        representative = self.representatives.get(name, name)
        listing = self.listings.get(representative) or self._cut(representative)
        if listing is None:
            raise ListingError(f"no listing of the program {name!r}")
        return listing

    def _cut(self, name: str) -> Listing | None:
        # libtpu cuts a very long name and appends a hash.
        matches = [
            listing
            for key, listing in self.listings.items()
            if len(key) > _LONG and name.startswith(key.rpartition("-")[0])
        ]
        return matches[0] if len(matches) == 1 else None


_LONG = 60
