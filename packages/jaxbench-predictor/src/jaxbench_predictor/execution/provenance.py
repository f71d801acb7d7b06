"""Follows addresses back to the buffer that they point into."""

import re
from collections.abc import Mapping

from jaxbench_predictor.listing.model import ListingError, Op, Operand, Symbol, Value
from jaxbench_predictor.memory import Space

_POINTER = re.compile(r"(?:int_to_ptr|scalar_lea|inlined_call_operand)\.(hbm|vmem|smem|cmem)")
_BY_OPCODE = re.compile(r"dma\.(hbm|vmem|smem|cmem)_to_(hbm|vmem|smem|cmem)")
_BUFFER = re.compile(r"shape: (?P<shape>\S+), index: (?P<index>\d+), kind: (?P<kind>\w+)")
_STEPS = 64
"""Longest chain of address operations that is followed."""

Definitions = Mapping[str, Op]


def spaces(op: Op, definitions: Definitions) -> tuple[Space, Space] | None:
    """Returns the memories that a DMA reads and writes; None for a DMA to something else than this core's memory.

    Raises:
        ListingError: A DMA that does not say so has addresses of unknown origin.
    """
    if match := _BY_OPCODE.fullmatch(op.opcode):
        return Space(match[1]), Space(match[2])
    if op.opcode != "dma.general":
        return None
    return _space(op.labelled("src"), definitions), _space(op.labelled("dst"), definitions)


def hbm_buffer(op: Op, definitions: Definitions) -> str:
    """Returns a description of the HBM buffer that a DMA reads or writes, as short as the listing allows."""
    ends = [operand for label, operand in zip(op.labels, op.operands, strict=True) if label in {"hbm", "src", "dst"}]
    for end in ends:
        source = _root(end, definitions)
        if isinstance(source, Op) and (description := _described(source)):
            return description
    return "a buffer in HBM" if ends else "a buffer on the chip"


def _described(source: Op) -> str | None:
    if source.opcode == "scalar_parameter_address":
        return f"entry parameter {getattr(source.operands[0], 'value', '?')}"
    if match := _BUFFER.search(source.attribute("buffer") or ""):
        return f"{match['kind']} {match['index']} {match['shape']}"
    return None


def _space(operand: Operand, definitions: Definitions) -> Space:
    for _ in range(_STEPS):
        if not isinstance(operand, Value) or operand.name not in definitions:
            break
        op = definitions[operand.name]
        if match := _POINTER.fullmatch(op.opcode):
            return Space(match[1])
        if op.opcode == "scalar_parameter_address":
            return Space.HBM
        operand = op.operands[0]
    raise ListingError("a DMA has an address of unknown memory space")


def _root(operand: Operand, definitions: Definitions) -> Op | Symbol | None:
    for _ in range(_STEPS):
        if isinstance(operand, Symbol):
            return operand
        if not isinstance(operand, Value) or operand.name not in definitions:
            return None
        op = definitions[operand.name]
        if op.opcode.startswith("inlined_call_operand") or not op.operands:
            return op
        if op.opcode == "scalar_parameter_address":
            return op
        operand = op.operands[0]
    return None
