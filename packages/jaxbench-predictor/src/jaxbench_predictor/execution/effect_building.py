"""Turns operations with an effect into what the interpreter runs, each with a site in the log."""

from jaxbench_predictor.execution.blocks import Call
from jaxbench_predictor.execution.effects import (
    WAIT_COMPARISONS,
    ChangeFlag,
    Delay,
    Dma,
    Effect,
    Unsupported,
    Wait,
)
from jaxbench_predictor.execution.events import CallSite, DmaSite, Log, WaitSite
from jaxbench_predictor.execution.liveness import moves_scalars
from jaxbench_predictor.execution.provenance import Provenance
from jaxbench_predictor.execution.registers import RegisterFile
from jaxbench_predictor.listing.model import Listing, ListingError, Op, Operand, Value
from jaxbench_predictor.listing.naming import TOP_LEVEL, callee_name
from jaxbench_predictor.memory import Space

_PLAIN_OPERANDS = 4
"""Operands of a DMA of consecutive bytes: two addresses, a size and a flag."""


class EffectBuilder:
    """Makes the effects of one program."""

    def __init__(self, listing: Listing, registers: RegisterFile, log: Log) -> None:
        """Takes the places of values, and the log that gets the sites."""
        self._program = listing.name
        self._registers = registers
        self._log = log
        self._provenance = Provenance(listing)
        self._moves_scalars = listing.name != TOP_LEVEL and moves_scalars(listing)

    def may_be_written(self, address: Operand) -> bool:
        """Returns whether an address is certain to point into an output of the program, or a buffer of its own."""
        return self._provenance.may_be_written(address)

    def build(self, op: Op, bundle: int, condition: int, *, after_store: bool) -> Effect | Call:
        """Returns the effect of an operation.

        Args:
            op: The operation.
            bundle: Index of its bundle.
            condition: Where it stands whether it takes effect.
            after_store: Whether its block may have written an input in VMEM before.

        Raises:
            ListingError: It has a form that is not known.
        """
        if op.opcode in WAIT_COMPARISONS:
            flag, count = self._two(op)
            self._log.waits.append(WaitSite(self._program, bundle))
            return Wait(len(self._log.waits) - 1, condition, flag, count, WAIT_COMPARISONS[op.opcode])
        if op.opcode in {"vsyncadd", "vsyncset"}:
            flag, amount = self._two(op)
            return ChangeFlag(condition, flag, amount, op.opcode == "vsyncadd")
        if op.opcode == "vdelay":
            return Delay(self._registers.of(op.operands[0]))
        if op.opcode in {"inlined_call", "call"}:
            return self._call(op, bundle, condition)
        ends = self._provenance.spaces(op)
        if ends is None:
            return Unsupported(condition, f"{op.opcode} (program {self._program})")
        operand = self._provenance.buffer(op)
        self._log.dmas.append(DmaSite(self._program, bundle, *ends, operand, op.comment))
        return self._dma(op, condition, ends, after_store=after_store)

    def _dma(self, op: Op, condition: int, ends: tuple[Space, Space], *, after_store: bool) -> Dma:
        labelled = zip(op.labels, op.operands, strict=True)
        addresses = [operand for label, operand in labelled if label in {"src", "dst", "hbm", "vmem", "smem", "cmem"}]
        if len(addresses) != 2:
            raise ListingError(f"{op.opcode} with {len(addresses)} addresses")
        source, destination = map(self._registers.of, addresses)
        # Strides make a transfer another one than that of consecutive bytes.
        plain = op.opcode != "dma.general" and len(op.operands) == _PLAIN_OPERANDS
        argument = self._provenance.argument(addresses[0])
        hidden = ends[0] is Space.VMEM and after_store
        return Dma(
            site=len(self._log.dmas) - 1,
            condition=condition,
            size=self._registers.of(op.labelled("size_in_granules")),
            flag=self._registers.of(op.labelled("dst_syncflagno")),
            source=source,
            destination=destination,
            priority=int(op.attribute("thread") or 0),
            argument=argument if plain and not hidden else None,
            plain=plain,
            staged=self._moves_scalars and ends[1] in {Space.HBM, Space.VMEM},
            stray=self._program != TOP_LEVEL
            and ends[1] in {Space.HBM, Space.VMEM}
            and not self._provenance.may_be_written(addresses[1]),
        )

    def _call(self, op: Op, bundle: int, condition: int) -> Call:
        self._log.calls.append(CallSite(self._program, bundle, callee_name(op.comment), program=""))
        values = [operand for operand in op.operands if isinstance(operand, Value)]
        arguments = tuple((value.register, self._registers.of(value)) for value in values)
        return Call(len(self._log.calls) - 1, condition, arguments)

    def _two(self, op: Op) -> tuple[int, int]:
        if len(op.operands) != 2:
            raise ListingError(f"{op.opcode} with {len(op.operands)} operands")
        return self._registers.of(op.operands[0]), self._registers.of(op.operands[1])
