"""Operations with an effect outside the scalar registers."""

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from jaxbench_predictor.execution.contents import Content, words_of
from jaxbench_predictor.execution.state import State
from jaxbench_predictor.execution.values import Scalar, Unknown, UnpredictableError, known, signed
from jaxbench_predictor.listing.naming import TOP_LEVEL
from jaxbench_predictor.memory import Space, Transfer

Registers = list[Scalar]

_WORD_BYTES = 4


class Effect(Protocol):
    """An operation of a block; operands are positions in the registers."""

    def run(self, state: State, registers: Registers, offset: int) -> None:
        """Takes effect `offset` cycles after the block's base.

        Raises:
            UnpredictableError: What it does depends on an unknown value, or is not modelled.
        """
        ...


@dataclass(frozen=True, slots=True)
class Dma:
    """Starts a transfer."""

    site: int
    condition: int
    size: int
    flag: int
    source: int
    destination: int
    priority: int
    argument: int | None
    """Position of the program's input that it reads, where that is certain and nothing has changed it."""
    plain: bool
    """Whether it moves consecutive bytes."""
    staged: bool
    """Whether what it writes is followed, because the program moves scalar memory to its outputs."""
    stray: bool
    """Whether it may write something else than an output of its program."""

    def run(self, state: State, registers: Registers, offset: int) -> None:
        """Issues the transfer."""
        if not known(registers[self.condition], "whether a DMA is issued"):
            return
        site = state.log.dmas[self.site]
        granules = known(registers[self.size], "the size of a DMA")
        nbytes = granules * state.granule_bytes
        self._move(state, registers, nbytes)
        if state.prefetched and site.program == TOP_LEVEL:
            state.prefetched -= 1
            nbytes = 0
        site.transfers += 1
        site.nbytes += nbytes
        transfer = Transfer(state.base + offset, nbytes, site.source, site.destination, self.priority)
        flag = known(registers[self.flag], "the sync flag of a DMA")
        number = state.memory.issue(transfer)
        state.flags.expect(flag, number, granules, self.site)
        if state.trace is not None:
            state.trace.dma(site, *state.memory.moved_in(number))

    def _move(self, state: State, registers: Registers, nbytes: int) -> None:
        """Follows what is moved; at once, because whoever reads it has waited for the flag."""
        site = state.log.dmas[self.site]
        if site.program != TOP_LEVEL:
            if self.stray:
                state.buffers.distrust()
            if site.destination is Space.SMEM:
                content = state.buffers.argument(self.argument, registers[self.source], nbytes)
                self._write_smem(state, registers, content, nbytes)
            if self.staged:
                origin = registers[self.source] if site.source is Space.SMEM and self.plain else None
                destination = registers[self.destination] if self.plain else None
                state.buffers.stage(site.destination, destination, nbytes, origin)
            return
        content = state.buffers.read(site.source, registers[self.source] if self.plain else None, nbytes)
        if site.destination is Space.SMEM:
            self._write_smem(state, registers, content, nbytes)
        else:
            state.buffers.write(site.destination, registers[self.destination], nbytes, content)

    def _write_smem(self, state: State, registers: Registers, content: Content, nbytes: int) -> None:
        address = known(registers[self.destination], "where a DMA writes scalar memory")
        origin = f"the content of {state.log.dmas[self.site].operand}"
        for offset, word in enumerate(words_of(content, nbytes // _WORD_BYTES)):
            state.smem.put(address + offset, Unknown(f"{origin}: {word.origin}") if isinstance(word, Unknown) else word)


@dataclass(frozen=True, slots=True)
class Wait:
    """Stalls until a sync flag fulfils a condition."""

    site: int
    condition: int
    flag: int
    count: int
    compare: Callable[[int, int], bool]

    def run(self, state: State, registers: Registers, offset: int) -> None:
        """Moves the clock to the end of the wait."""
        if not known(registers[self.condition], "whether the core waits"):
            return
        flag = known(registers[self.flag], "the sync flag of a wait")
        target = signed(known(registers[self.count], "the value waited for"))
        now = state.base + offset
        site = state.log.waits[self.site]
        site.waits += 1
        release = state.flags.wait(flag, lambda count: self.compare(count, target), now)
        if release.site is not None:
            stall = release.cycle - now
            state.base += stall
            site.stalls += 1
            site.stalled_cycles += stall
            if state.trace is not None:
                dma = state.log.dmas[release.site]
                state.trace.add("waits", f"{dma.operand} ({site.program})", now, release.cycle)
            site.stalled_by[release.site] = site.stalled_by.get(release.site, 0.0) + stall


@dataclass(frozen=True, slots=True)
class ChangeFlag:
    """Adds to a sync flag, or sets it."""

    condition: int
    flag: int
    amount: int
    adds: bool

    def run(self, state: State, registers: Registers, offset: int) -> None:
        """Changes the flag."""
        if not known(registers[self.condition], "whether a sync flag changes"):
            return
        flag = known(registers[self.flag], "which sync flag changes")
        amount = signed(known(registers[self.amount], "by how much a sync flag changes"))
        (state.flags.add if self.adds else state.flags.set)(flag, amount)


@dataclass(frozen=True, slots=True)
class Delay:
    """Stalls for a number of cycles."""

    cycles: int

    def run(self, state: State, registers: Registers, offset: int) -> None:
        """Moves the clock."""
        cycles = known(registers[self.cycles], "the length of a delay")
        state.base += cycles
        state.log.delay_cycles += cycles


@dataclass(frozen=True, slots=True)
class Unsupported:
    """An operation that is not modelled."""

    condition: int
    what: str

    def run(self, state: State, registers: Registers, offset: int) -> None:
        """Ends the prediction, unless its predicate is false."""
        if known(registers[self.condition], f"whether {self.what} takes effect"):
            raise UnpredictableError(f"{self.what} is not modelled")


WAIT_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = MappingProxyType(
    {
        "dma.done.wait": operator.ge,
        "vwait.ge": operator.ge,
        "vwait.eq": operator.eq,
        "vwait.ne": operator.ne,
        "vwait.gt": operator.gt,
        "vwait.le": operator.le,
        "vwait.lt": operator.lt,
    }
)
"""What a wait waits for, by opcode: the flag's value compared with the operand."""
