"""Which values can decide time: those that reach a branch, an effect, scalar memory or a call."""

from collections.abc import Iterable, Iterator

from jaxbench_predictor.execution.opcodes import IGNORED
from jaxbench_predictor.listing.model import Address, Listing, Op, Operand, Token, Value
from jaxbench_predictor.listing.naming import TOP_LEVEL


def names(operands: Iterable[Operand | None]) -> Iterator[str]:
    """Yields the names of the values in `operands`."""
    for operand in operands:
        if isinstance(operand, Value | Token):
            yield operand.name
        elif isinstance(operand, Address):
            yield from names(operand.terms)


def inputs_of(op: Op) -> Iterator[str]:
    """Yields the names of all values that the result of `op` follows from."""
    yield from names(op.operands)
    yield from names([op.otherwise])
    if op.predicate:
        yield op.predicate.name


def is_pure(op: Op) -> bool:
    """Returns whether `op` only yields a scalar; a push to the divider, or of a single word, counts as one."""
    match op:
        case Op("sdivrem.u32" | "vld" | "vstv") | Op("vpush", operands=(Token(),)):
            return True
        case _:
            return isinstance(op.result, Value)


def live_names(listing: Listing) -> frozenset[str]:
    """Returns the names of the values that are needed to execute `listing`."""
    definitions = {op.result.name: op for bundle in listing.bundles for op in bundle if op.result and is_pure(op)}
    followed = listing.name == TOP_LEVEL or moves_scalars(listing)
    waiting = [
        name
        for bundle in listing.bundles
        for op in bundle
        if not is_pure(op)
        for name in _needed_by_effect(op, all_followed=followed)
    ]
    live: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in live:
            live.add(name)
            if name in definitions:
                waiting.extend(inputs_of(definitions[name]))
    return frozenset(live)


def moves_scalars(listing: Listing) -> bool:
    """Returns whether a program copies scalar memory to its outputs, so that others may decide by what it yields."""
    return any(op.opcode in {"dma.smem_to_hbm", "dma.smem_to_vmem"} for bundle in listing.bundles for op in bundle)


def _needed_by_effect(op: Op, *, all_followed: bool) -> Iterator[str]:
    if op.opcode in IGNORED:
        return
    if op.predicate:
        yield op.predicate.name
    if op.opcode.startswith("dma.") and op.opcode != "dma.done.wait":
        # Where a transfer reads and writes costs no time, except where contents are followed.
        followed = op.opcode.endswith("_to_smem") or op.opcode == "dma.general" or all_followed
        for label, operand in zip(op.labels, op.operands, strict=True):
            if followed or label in {"size_in_granules", "dst_syncflagno"}:
                yield from names([operand])
        return
    yield from names(op.operands)
