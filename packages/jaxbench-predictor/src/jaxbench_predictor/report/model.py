"""What a report holds."""

from enum import StrEnum

from jaxbench_predictor.memory.model import Space
from jaxbench_predictor.model import Count, Model, NonEmptyStr, NonNegativeFloat, PositiveFloat


class Bottleneck(StrEnum):
    """What takes most of the time."""

    SCHEDULE = "schedule"
    """Executing bundles: the units of the core, or latencies between them, are the limit."""
    HBM = "hbm"
    """HBM moves data nearly all the time."""
    DMA_LATENCY = "dma_latency"
    """The core waits for transfers while HBM is not busy: too few are under way at a time."""


class HloTime(Model):
    """Time in one instruction of the scheduled HLO: a fusion, or a Pallas kernel."""

    name: NonEmptyStr
    """Name of the instruction."""
    calls: Count
    """How often it ran."""
    time_ns: NonNegativeFloat
    """Time in all of its runs, with the waits inside."""


class WaitTime(Model):
    """Time lost waiting for one window of one operand."""

    program: NonEmptyStr
    """Program that waited."""
    operand: NonEmptyStr
    """Buffer of the transfer waited for, as the listing describes it; that in HBM if one is."""
    window: str
    """The compiler's description of the window, such as its bounds; empty where it gives none."""
    source: Space
    """Memory that the transfer reads."""
    destination: Space
    """Memory that it writes."""
    stalls: Count
    """How often the waits where that happened stalled, for whatever transfer."""
    time_ns: NonNegativeFloat
    """Time lost."""


class Traffic(Model):
    """What DMAs moved in one direction."""

    source: Space
    """Memory read."""
    destination: Space
    """Memory written."""
    transfers: Count
    """Number of DMAs."""
    nbytes: Count
    """Bytes moved."""


class HotLoop(Model):
    """A loop in which many cycles go by."""

    program: NonEmptyStr
    """Program that it is in."""
    first_bundle: Count
    """Index of its first bundle in the listing."""
    iterations: Count
    """How often its body was entered, over all runs of the program."""
    bundles_per_iteration: NonNegativeFloat
    """Bundles from one entry to the next, inner loops included, on average."""
    bundle_share: NonNegativeFloat
    """Its share of all executed bundles."""


class UnitUse(Model):
    """How much of one kind of issue slot was used."""

    unit: NonEmptyStr
    """Name that the compiler gives it, such as `MXU`."""
    share: NonNegativeFloat
    """Slots used, as a share of those in all executed bundles."""


class Report(Model):
    """Where the time of one run goes."""

    bottleneck: Bottleneck
    """What takes most of the time."""
    clock_hz: PositiveFloat
    """Cycles per second."""
    executed_cycles: NonNegativeFloat
    """Cycles in which a bundle issued."""
    slowed_cycles: NonNegativeFloat
    """Cycles lost because the matrix units were busy, which slows the whole core."""
    waiting_cycles: NonNegativeFloat
    """Cycles lost waiting for transfers."""
    hbm_busy_ns: NonNegativeFloat
    """Time in which HBM moved data."""
    hlo: tuple[HloTime, ...]
    """Time per HLO instruction, longest first."""
    waits: tuple[WaitTime, ...]
    """Time lost per operand, longest first."""
    traffic: tuple[Traffic, ...]
    """What was moved, by direction."""
    loops: tuple[HotLoop, ...]
    """Loops with most executed bundles first."""
    units: tuple[UnitUse, ...]
    """Use of issue slots; empty where the compiler printed none."""
    assumptions: tuple[NonEmptyStr, ...]
    """What was taken for granted about the state of the chip and its inputs."""

    @property
    def executing_ns(self) -> float:
        """Time in which bundles issued, those slowed by the matrix units included."""
        return (self.executed_cycles + self.slowed_cycles) / self.clock_hz * 1e9

    @property
    def waiting_ns(self) -> float:
        """Time lost waiting for transfers."""
        return self.waiting_cycles / self.clock_hz * 1e9
