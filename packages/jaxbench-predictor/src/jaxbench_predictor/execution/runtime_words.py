"""Words of scalar memory that the runtime, not the program, writes: recognized by what the program does with them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from jaxbench_predictor.execution.liveness import inputs_of
from jaxbench_predictor.listing.model import Address, Immediate, Listing, Op, Symbol
from jaxbench_predictor.listing.naming import TOP_LEVEL

_SEED_HASH = 2925155241
"""First constant of the hash that the random number generator's seed goes through."""

_NO_SEED = "no seed for the random number generator is set in this run"
PREFETCHED = "steady state, back to back: the previous run has prefetched an operand"
"""The assumption of a program whose first copy the compiler has made the business of the run before."""

OUTPUTS = 1 << 29
OUTPUT_SHIFT = 20
"""Address of the first buffer of the runtime in HBM, and distance of the next; between allocations and parameters."""

_Users = Mapping[str, Sequence[Op]]


@dataclass(frozen=True, slots=True)
class AssumedWord:
    """A word and what it is taken to be."""

    allocation: str
    value: int
    assumption: str = ""
    """In words, for the report; empty where it makes no difference worth telling."""


def assumed_words(listing: Listing) -> tuple[AssumedWord, ...]:
    """Returns what is assumed of words that the runtime's side of a program loads and never stores.

    All programs may load the number of the core that they run on. The other words are those of the top-level and
    the late programs; what kernels load are their own operands.
    """
    return (*_core_ids(listing), *_words_of_the_runtime(listing))


def _core_ids(listing: Listing) -> Iterator[AssumedWord]:
    for load in _ops(listing, "sld"):
        match load.operands:
            case (Address("smem", (Symbol(allocation, 0),)),) if "core id" in load.comment:
                yield AssumedWord(allocation, 0)
            case _:
                continue


def _words_of_the_runtime(listing: Listing) -> tuple[AssumedWord, ...]:
    if listing.name != TOP_LEVEL and not listing.name.startswith("<"):
        return ()
    stored = {op.operands[0].terms[0] for op in _ops(listing, "sst") if isinstance(op.operands[0], Address)}
    users = _users(listing)
    words: list[AssumedWord] = []
    enabled = False
    for load in _ops(listing, "sld"):
        match load.operands:
            case (Address("smem", (Symbol(allocation, 0) as symbol,)),) if symbol not in stored and load.result:
                uses = users.get(load.result.name, ())
                if word := _recognized(allocation, uses, users):
                    words.append(word)
                elif any(use.opcode == "int_to_ptr.hbm" for use in uses):
                    # Where the runtime wants an output, or a table of several.
                    words.append(AssumedWord(allocation, OUTPUTS + (len(words) << OUTPUT_SHIFT)))
                elif not enabled and _forms(uses) == {("scmp.ne.s32.totalorder", 1)}:
                    # The state of the program's descriptor: nothing runs unless it is one. It is tested first.
                    enabled = True
                    words.append(AssumedWord(allocation, 1))
            case _:
                continue
    return tuple(words)


def _recognized(allocation: str, uses: Sequence[Op], users: _Users) -> AssumedWord | None:
    forms = _forms(uses)
    if {("scmp.eq.s32.totalorder", 0), ("sxor.u32", _SEED_HASH)} <= forms:
        return AssumedWord(allocation, 0, _NO_SEED)
    if forms == {("scmp.ne.s32.totalorder", 0)} and any(_sizes_a_dma(use, users) for use in uses):
        return AssumedWord(allocation, 1, PREFETCHED)
    # The count of runs; a buffer of trace entries is written whenever it is a multiple of 1024.
    if ("sand.u32", 1023) in forms:
        return AssumedWord(allocation, 1)
    return None


def _forms(uses: Sequence[Op]) -> set[tuple[str | int | float, ...]]:
    return {
        (use.opcode, *(operand.value for operand in use.operands if isinstance(operand, Immediate))) for use in uses
    }


def _sizes_a_dma(comparison: Op, users: _Users) -> bool:
    if comparison.result is None:
        return False
    selects = [op for op in users.get(comparison.result.name, ()) if op.opcode == "scalar_select"]
    return any(user.opcode.startswith("dma.") for op in selects if op.result for user in users.get(op.result.name, ()))


def _ops(listing: Listing, opcode: str) -> Iterator[Op]:
    return (op for bundle in listing.bundles for op in bundle if op.opcode == opcode)


def _users(listing: Listing) -> _Users:
    users: dict[str, list[Op]] = {}
    for bundle in listing.bundles:
        for op in bundle:
            for name in set(inputs_of(op)):
                users.setdefault(name, []).append(op)
    return users
