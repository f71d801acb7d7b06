"""What a report holds."""

from enum import StrEnum

from jaxbench_predictor.memory.model import Space
from jaxbench_predictor.model import Count, Model, NonEmptyStr, NonNegativeFloat, PositiveFloat, PositiveInt


class Bottleneck(StrEnum):
    """What limits a program; see `labelling` for how it is told."""

    HBM = "hbm"
    """HBM moves data nearly all the time."""
    MXU = "mxu"
    """The matrix units multiply most of the time."""
    VPU = "vpu"
    """The vector ALUs are busy most of the time."""
    EUP = "eup"
    """The unit for transcendental functions is."""
    XLU = "xlu"
    """The units that move data across lanes and sublanes are: transposes, rotations, reductions."""
    LOAD_STORE = "load_store"
    """Loads from VMEM, or stores to it, take most of the time."""
    SPILL = "spill"
    """The same, and most of them are of values for which there were too few vector registers."""
    SCALAR = "scalar"
    """The scalar unit is busy: control of loops and grids, addresses, checks of bounds."""
    DMA_LATENCY = "dma_latency"
    """The core waits for transfers while HBM is not busy: too few are under way at a time."""
    SCHEDULE = "schedule"
    """The core executes bundles, but no unit is busy: operations wait for the results of others."""


class UnitUse(Model):
    """How much of one kind of issue slot was used."""

    unit: NonEmptyStr
    """Name that the compiler gives it, such as `MXU`. `VLOAD:FILL` is part of `VLOAD`, `VSTORE:SPILL` of `VSTORE`."""
    share: NonNegativeFloat
    """Slots used, as a share of those in all executed bundles."""


class HloTime(Model):
    """Time in one instruction of the scheduled HLO: a fusion, or a Pallas kernel."""

    name: NonEmptyStr
    """Name of the instruction."""
    calls: Count
    """How often it ran."""
    time_ns: NonNegativeFloat
    """Time in all of its runs, with the waits inside."""
    vmem_bytes: Count | None = None
    """VMEM that it reserves for windows, scratch and spills; null where the compiler does not say. What XLA keeps there
    from one instruction to the next comes on top."""


class WaitTime(Model):
    """Time lost waiting for one window of one operand."""

    program: NonEmptyStr
    """Program that waited."""
    operand: NonEmptyStr
    """Buffer of the transfer waited for, as the listing describes it; that in HBM if one is."""
    window: str
    """The compiler's description of the window, such as its bounds; empty where it gives none."""
    window_shape: tuple[PositiveInt, ...] | None
    """Elements of the window by dimension; null where the compiler does not describe it."""
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
    waiting_ns: NonNegativeFloat
    """Time lost in waits inside it."""
    units: tuple[UnitUse, ...]
    """Use of issue slots inside it; empty where the compiler printed none."""


class ProgramTime(Model):
    """Time in one program of the schedule: the top-level program, a fusion, or a Pallas kernel.

    Equal HLO instructions share one. Times are those of its own bundles, without the programs that it calls.
    """

    program: NonEmptyStr
    """Name of its listing."""
    executing_ns: NonNegativeFloat
    """Time in which its bundles issued."""
    waiting_ns: NonNegativeFloat
    """Time in which it waited for transfers."""
    units: tuple[UnitUse, ...]
    """Use of issue slots in its bundles; empty where the compiler printed none."""
    spills: Count | None
    """Vector registers that it stored because there were too few, over all runs; null where they are not counted."""
    fills: Count | None
    """Vector registers that it loaded back."""


class Bounds(Model):
    """What a run takes at least, by each of its needs alone. The predicted time is above all of them."""

    compute_ns: NonNegativeFloat
    """Of the matrix units, for the products that were executed."""
    hbm_ns: NonNegativeFloat
    """Of HBM at the bandwidth of the data sheet, for the bytes that were moved."""
    schedule_ns: NonNegativeFloat
    """Of the core, for the bundles that were executed."""


class Report(Model):
    """Where the time of one run goes."""

    bottleneck: Bottleneck
    """What limits the program."""
    bounds: Bounds
    """What it takes at least."""
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
    programs: tuple[ProgramTime, ...]
    """Time per program of the schedule, longest first."""
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
    def vmem_high_water_bytes(self) -> int | None:
        """The most VMEM that one instruction reserves; None where the compiler does not say."""
        return max((hlo.vmem_bytes for hlo in self.hlo if hlo.vmem_bytes is not None), default=None)

    @property
    def executing_ns(self) -> float:
        """Time in which bundles issued, those slowed by the matrix units included."""
        return (self.executed_cycles + self.slowed_cycles) / self.clock_hz * 1e9

    @property
    def spilled(self) -> int:
        """Vector registers that were stored or loaded back because there were too few."""
        return sum((program.spills or 0) + (program.fills or 0) for program in self.programs)

    @property
    def waiting_ns(self) -> float:
        """Time lost waiting for transfers."""
        return self.waiting_cycles / self.clock_hz * 1e9
