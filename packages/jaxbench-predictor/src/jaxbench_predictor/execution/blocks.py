"""Blocks: what executes between an entry point and the next branch."""

from dataclasses import dataclass, field

from jaxbench_predictor.execution.effects import Effect
from jaxbench_predictor.execution.opcodes import Pure

Step = tuple[Pure, int, int, int, int]
"""A function, the register for its result, and the registers of its three operands."""


@dataclass(frozen=True, slots=True)
class Call:
    """Runs another program; not an `Effect`, because the interpreter itself does it."""

    site: int
    condition: int
    arguments: tuple[tuple[str, int], ...]
    """Physical register in which the callee finds an argument, and where its value is here."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Steps, and then one operation with an effect."""

    steps: tuple[Step, ...]
    effect: Effect | Call | None
    offset: int
    """Bundles from the start of the block to the effect."""


@dataclass(slots=True)
class Block:
    """Bundles that execute one after the other."""

    start: int
    length: int
    segments: tuple[Segment, ...]
    condition: int | None
    """Register that decides whether the branch is taken; None where the program ends."""
    target: int
    stores: bool
    """Whether it writes VMEM."""
    slowed: float
    """Cycles that it takes longer than its bundles, because the matrix units are busy."""
    executed: int = field(default=0)
