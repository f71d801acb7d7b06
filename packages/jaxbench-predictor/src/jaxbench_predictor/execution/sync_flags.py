"""Sync flags: counters that DMAs advance when they are done, and that the core waits for."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from jaxbench_predictor.execution.values import UnpredictableError
from jaxbench_predictor.memory import MemoryModel


class Release(NamedTuple):
    """The end of a wait."""

    cycle: float
    """When the flag has the value waited for."""
    site: int | None
    """Number of the DMA's site whose end it was; None where there was nothing to wait for."""


class _Arrival(NamedTuple):
    cycle: float
    amount: int
    site: int
    number: int


@dataclass(slots=True)
class _Flag:
    count: int = 0
    pending: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    """Number of the transfer, what it adds, and the site that issued it."""


class SyncFlags:
    """The sync flags of one core, by address."""

    def __init__(self, memory: MemoryModel) -> None:
        self._memory = memory
        self._flags: dict[int, _Flag] = {}

    def add(self, address: int, amount: int) -> None:
        """Adds to a flag at once."""
        self._flag(address).count += amount

    def set(self, address: int, value: int) -> None:
        """Gives a flag a value at once."""
        self._flag(address).count = value

    def expect(self, address: int, number: int, amount: int, site: int) -> None:
        """Lets transfer `number` of `site` add to a flag when it is done."""
        self._flag(address).pending.append((number, amount, site))

    def pending(self, address: int) -> list[int]:
        """Returns the numbers of the transfers under way that a flag counts."""
        return [number for number, _, _ in self._flag(address).pending]

    def wait(self, address: int, holds: Callable[[int], bool], now: float) -> Release:
        """Returns when the value of a flag fulfils a condition.

        Args:
            address: The flag.
            holds: The condition.
            now: The present cycle.

        Raises:
            UnpredictableError: It never does, whatever is under way.
        """
        flag = self._flag(address)
        arrivals = sorted(
            _Arrival(self._memory.done_at(number), amount, site, number) for number, amount, site in flag.pending
        )
        release = Release(now, None)
        for index, arrival in enumerate(arrivals):
            if arrival.cycle > now and holds(flag.count):
                self._keep(flag, arrivals[index:])
                return release
            flag.count += arrival.amount
            if arrival.cycle > now:
                release = Release(arrival.cycle, arrival.site)
        flag.pending = []
        if not holds(flag.count):
            raise UnpredictableError(f"a wait is never satisfied: its flag stays at {flag.count}")
        return release

    @staticmethod
    def _keep(flag: _Flag, arrivals: list[_Arrival]) -> None:
        flag.pending = [(arrival.number, arrival.amount, arrival.site) for arrival in arrivals]

    def _flag(self, address: int) -> _Flag:
        flag = self._flags.get(address)
        if flag is None:
            flag = self._flags[address] = _Flag()
        return flag
