"""Keeps when things happened, for a timeline; the counts of `events` have no times."""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from jaxbench_predictor.execution.events import DmaSite
from jaxbench_predictor.listing.model import Listing

MOST_SLICES = 4000
"""Slices of one track. Where there are more, neighbours are merged: a slice then stands for several."""

_BRANCH = "sbr.rel"


@dataclass(slots=True)
class Slice:
    """Something that lasted, or several of its kind one after the other."""

    name: str
    begin: float
    end: float
    busy: float
    """Cycles that it lasted, without the gaps between those that it stands for."""
    count: int = 1


@dataclass(slots=True)
class Track:
    """Slices that do not overlap, in order of time; not more than `MOST_SLICES`."""

    slices: list[Slice] = field(default_factory=list[Slice])
    merged: int = 1
    """How many one slice stands for, the last one aside."""

    def add(self, name: str, begin: float, end: float) -> None:
        """Appends a slice; it begins after all others."""
        if self.slices and self.slices[-1].count < self.merged:
            self.slices[-1] = _merge(self.slices[-1], Slice(name, begin, end, end - begin))
            return
        self.slices.append(Slice(name, begin, end, end - begin))
        if len(self.slices) > MOST_SLICES:
            pairs = zip(self.slices[::2], [*self.slices[1::2], None], strict=False)
            self.slices = [first if second is None else _merge(first, second) for first, second in pairs]
            self.merged *= 2


def _merge(first: Slice, second: Slice) -> Slice:
    name = max(first, second, key=lambda each: each.busy).name
    return Slice(name, first.begin, second.end, first.busy + second.busy, first.count + second.count)


@dataclass(slots=True)
class _OpenLoop:
    header: int
    end: int
    begin: float


@dataclass(slots=True)
class _Run:
    """A program that is running."""

    name: str
    ends: Mapping[int, int]
    headers: list[int]
    open: list[_OpenLoop] = field(default_factory=list[_OpenLoop])


class Trace:
    """Everything that happened in one execution, with its times in cycles.

    Attributes:
        tracks: Slices by the name of their track, such as `waits` or `hbm to vmem`.
    """

    def __init__(self, delay_slots: int) -> None:
        self.tracks: dict[str, Track] = {}
        self._delay_slots = delay_slots
        self._runs: list[_Run] = []
        self._ends: dict[str, Mapping[int, int]] = {}

    def add(self, track: str, name: str, begin: float, end: float) -> None:
        """Appends a slice to a track."""
        self.tracks.setdefault(track, Track()).add(name, begin, end)

    def dma(self, site: DmaSite, begin: float, end: float) -> None:
        """Notes when a memory moved the data of a transfer."""
        self.add(f"{site.source} to {site.destination}", f"{site.operand} ({site.program})", begin, end)

    def enter(self, listing: Listing) -> None:
        """Notes that a program begins."""
        ends = self._ends.get(listing.name)
        if ends is None:
            ends = self._ends[listing.name] = loop_ends(listing, self._delay_slots)
        self._runs.append(_Run(listing.name, ends, sorted(ends)))

    def leave(self, now: float) -> None:
        """Notes that the program ends."""
        run = self._runs[-1]
        while run.open:
            self._close(run, now)
        self._runs.pop()

    def block(self, start: int, length: int, now: float) -> None:
        """Notes that a block of the program begins: an iteration ends, or a loop is entered or left.

        An iteration that is entered in the middle of a block counts from its start.
        """
        run = self._runs[-1]
        while run.open and not run.open[-1].header <= start < run.open[-1].end:
            self._close(run, now)
        if run.open and run.open[-1].header == start:
            self._close(run, now)
        first = bisect_left(run.headers, start)
        for header in run.headers[first:]:
            if header >= start + max(1, length - self._delay_slots):
                break
            run.open.append(_OpenLoop(header, run.ends[header], now))

    def _close(self, run: _Run, now: float) -> None:
        loop = run.open.pop()
        # Loops of the caller are outside those of the program.
        depth = sum(len(outer.open) for outer in self._runs) + 1
        self.add(f"loops, depth {depth}", f"{run.name} at {loop.header:#x}", loop.begin, now)


def loop_ends(listing: Listing, delay_slots: int) -> Mapping[int, int]:
    """Returns the bundle after the last one of each loop, by its first one."""
    ends: dict[int, int] = {}
    for index, bundle in enumerate(listing.bundles):
        for op in bundle:
            target = op.attribute("target") if op.opcode == _BRANCH else None
            if target is not None and int(target) <= index:
                ends[int(target)] = index + delay_slots + 1
    return MappingProxyType(ends)
