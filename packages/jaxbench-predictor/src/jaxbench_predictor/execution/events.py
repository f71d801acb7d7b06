"""What an execution leaves: counts per place in the schedule, from which a report is made."""

from dataclasses import dataclass, field

from jaxbench_predictor.memory import Space


@dataclass(slots=True)
class DmaSite:
    """A DMA operation in a listing, and what it did."""

    program: str
    bundle: int
    source: Space
    destination: Space
    operand: str
    """The buffer that is moved, as the listing describes it; that in HBM if one is."""
    window: str
    """The listing's description of the window that is moved; empty where it has none."""
    transfers: int = 0
    nbytes: int = 0


@dataclass(slots=True)
class WaitSite:
    """A wait in a listing, and the cycles lost there."""

    program: str
    bundle: int
    waits: int = 0
    stalls: int = 0
    stalled_cycles: float = 0.0
    stalled_by: dict[int, float] = field(default_factory=dict[int, float])
    """Cycles by the number of the DMA's site that was waited for."""


@dataclass(slots=True)
class CallSite:
    """A call of one program by another; for the top-level program, an HLO instruction."""

    caller: str
    bundle: int
    name: str
    """Name under which it is called, which is the HLO's."""
    program: str
    """Name of the listing that was executed."""
    calls: int = 0
    cycles: float = 0.0
    """With everything that it calls and waits for."""


@dataclass(slots=True)
class Log:
    """Everything that happened in one execution, added up by place."""

    dmas: list[DmaSite] = field(default_factory=list[DmaSite])
    waits: list[WaitSite] = field(default_factory=list[WaitSite])
    calls: list[CallSite] = field(default_factory=list[CallSite])
    bundles: int = 0
    """Executed bundles, which is the cycles without waits."""
    slowed_cycles: float = 0.0
    """Cycles lost because the matrix units were busy."""
    delay_cycles: float = 0.0
    """Cycles of explicit delays."""

    @property
    def stalled_cycles(self) -> float:
        """Cycles lost in waits."""
        return sum(site.stalled_cycles for site in self.waits)
