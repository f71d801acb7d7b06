"""Counts executed bundles and the issue slots used in them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from jaxbench_predictor.execution.lowering import LoweredProgram
from jaxbench_predictor.listing.utilization import Utilization
from jaxbench_predictor.report.model import UnitUse

FILLS, SPILLS = "VLOAD:FILL", "VSTORE:SPILL"
"""Columns of loads and stores for which there were too few vector registers."""


@dataclass(frozen=True, slots=True)
class Slots:
    """Issue slots used in a number of executed bundles.

    Attributes:
        bundles: The number of bundles.
        used: Slots by unit; empty where the compiler printed none.
        capacity: Slots of one bundle.
    """

    bundles: int
    used: Mapping[str, int]
    capacity: Mapping[str, int]

    @classmethod
    def of_bundles(
        cls, executions: list[int], table: Utilization | None, start: int = 0, end: int | None = None
    ) -> Self:
        """Adds up the slots of bundles `start` to `end` of a program.

        Args:
            executions: How often each bundle of the program was executed.
            table: What each uses.
            start: The first.
            end: The one after the last; None for the end of the program.
        """
        part = executions[start:end]
        if table is None or len(table.rows) != len(executions):
            return cls(sum(part), {}, {})
        totals = [0] * len(table.units)
        for count, row in zip(part, table.rows[start:end], strict=True):
            if count:
                totals = [total + count * slots for total, slots in zip(totals, row, strict=True)]
        return cls(
            sum(part),
            dict(zip(table.units, totals, strict=True)),
            dict(zip(table.units, table.capacity, strict=True)),
        )

    @classmethod
    def total(cls, parts: Iterable[Self]) -> Self:
        """Adds up parts; one without slots leaves the total without."""
        bundles, complete = 0, True
        used: dict[str, int] = defaultdict(int)
        capacity: dict[str, int] = {}
        for part in parts:
            bundles += part.bundles
            complete = complete and bool(part.used or not part.bundles)
            capacity |= part.capacity
            for unit, slots in part.used.items():
                used[unit] += slots
        return cls(bundles, dict(used), capacity) if complete else cls(bundles, {}, {})

    def units(self) -> tuple[UnitUse, ...]:
        """Returns the shares of the slots of all bundles."""
        if not self.bundles:
            return ()
        return tuple(
            UnitUse(unit=unit, share=self.used.get(unit, 0) / (slots * self.bundles))
            for unit, slots in self.capacity.items()
        )


def executions_of_bundles(program: LoweredProgram) -> list[int]:
    """Returns how often each bundle of a program was executed."""
    changes = [0] * (len(program.listing.bundles) + 1)
    for block in program.blocks.values():
        changes[block.start] += block.executed
        changes[block.start + block.length] -= block.executed
    counts: list[int] = []
    running = 0
    for change in changes[:-1]:
        running += change
        counts.append(running)
    return counts
