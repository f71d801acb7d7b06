"""Follows addresses back to the buffer that they point into."""

import re

from jaxbench_predictor.listing.model import Address, Immediate, Listing, ListingError, Op, Operand, Symbol, Value
from jaxbench_predictor.memory import Space

_POINTER = re.compile(r"(?:int_to_ptr|scalar_lea|inlined_call_operand)\.(hbm|vmem|smem|cmem)")
_BY_OPCODE = re.compile(r"dma\.(hbm|vmem|smem|cmem)_to_(hbm|vmem|smem|cmem)")
_BUFFER = re.compile(r"shape: (?P<shape>\S+), index: (?P<index>\d+), kind: (?P<kind>\w+)")
_STEPS = 64
"""Longest chain of address operations that is followed."""


class Provenance:
    """Where the addresses of one program come from."""

    def __init__(self, listing: Listing) -> None:
        """Notes what defines each value, and what is stored in each spilled word."""
        ops = [op for bundle in listing.bundles for op in bundle]
        self._definitions = {op.result.name: op for op in ops if op.result}
        self._spills = {
            op.operands[0]: op.operands[1]
            for op in ops
            if op.opcode == "sst" and len(op.operands) == 2 and _is_spill(op.operands[0])
        }

    def spaces(self, op: Op) -> tuple[Space, Space] | None:
        """Returns the memories that a DMA reads and writes; None for one that leaves this core's memory.

        Raises:
            ListingError: The DMA does not say, and its addresses are of unknown origin.
        """
        if match := _BY_OPCODE.fullmatch(op.opcode):
            return Space(match[1]), Space(match[2])
        if op.opcode != "dma.general":
            return None
        return self._space(op.labelled("src")), self._space(op.labelled("dst"))

    def buffer(self, op: Op) -> str:
        """Returns a description of the buffer that a DMA moves, as short as the listing allows: that in HBM if any."""
        ends = dict(zip(op.labels, op.operands, strict=True))
        for label in _ENDS:
            if label in ends and (description := _described(self._chain(ends[label])[-1])):
                return description
        return "a buffer in HBM" if "hbm" in op.opcode else "a buffer"

    def argument(self, operand: Operand) -> int | None:
        """Returns the position of the input of this program that an address points into, or None."""
        chain = self._chain(operand)
        if any(isinstance(each, Op) and each.otherwise is not None for each in chain):
            return None
        match = _passed(chain[-1])
        return int(match["index"]) if match and match["kind"] == "input" else None

    def may_be_written(self, operand: Operand) -> bool:
        """Returns whether an address is certain to point into an output of this program, or a buffer of its own."""
        return all(self._is_writable(root) for root in self._roots(operand))

    def _is_writable(self, root: Op | Operand) -> bool:
        if isinstance(root, Symbol):
            return True
        if not isinstance(root, Op):
            return False
        if any(isinstance(each, Symbol) for each in root.operands):
            return True
        match = _passed(root)
        return match is not None and match["kind"] == "output"

    def _roots(self, operand: Operand) -> list[Op | Operand]:
        """Returns where an address may start: all of that which it is chosen from."""
        found: list[Op | Operand] = []
        waiting, seen = [operand], {operand}
        while waiting:
            last = self._chain(waiting.pop())
            chosen = [each.otherwise for each in last if isinstance(each, Op) and each.otherwise is not None]
            end = last[-1]
            if isinstance(end, Op) and end.opcode in {"sphi", "pphi"}:
                chosen += end.operands
            else:
                found.append(end)
            waiting += [each for each in chosen if each not in seen]
            seen.update(chosen)
        return found

    def _space(self, operand: Operand) -> Space:
        for source in self._chain(operand):
            if isinstance(source, Op):
                if match := _POINTER.fullmatch(source.opcode):
                    return Space(match[1])
                if source.opcode == "scalar_parameter_address":
                    return Space.HBM
        raise ListingError("a DMA has an address of unknown memory space")

    def _chain(self, operand: Operand) -> list[Op | Operand]:
        """Returns what defines an address, what defines that one's base, and so on."""
        chain: list[Op | Operand] = [operand]
        for _ in range(_STEPS):
            if operand in self._spills:
                operand = self._spills[operand]
            if not isinstance(operand, Value) or operand.name not in self._definitions:
                break
            op = self._definitions[operand.name]
            chain.append(op)
            if op.opcode in {"sphi", "pphi"} or not op.operands:
                break
            operand = op.operands[0]
        return chain


_ENDS = ("hbm", "src", "dst", "vmem")
"""Labels of addresses, those of HBM first."""


def _passed(source: Op | Operand) -> re.Match[str] | None:
    if not isinstance(source, Op) or source.opcode.partition(".")[0] != "inlined_call_operand":
        return None
    return _BUFFER.search(source.attribute("buffer") or "")


def _is_spill(operand: Operand) -> bool:
    match operand:
        case Address("smem", (Symbol(allocation),)):
            return allocation.endswith("_spill")
        case _:
            return False


def _described(source: Op | Operand) -> str | None:
    if not isinstance(source, Op):
        return None
    match source.opcode, source.operands:
        case "scalar_parameter_address", (Immediate(position),):
            return f"entry parameter {position}"
        case _:
            buffer = _BUFFER.search(source.attribute("buffer") or "")
            return f"{buffer['kind']} {buffer['index']} {buffer['shape']}" if buffer else None
