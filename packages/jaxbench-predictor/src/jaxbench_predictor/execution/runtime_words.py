"""Words of scalar memory that the runtime, not the program, writes: recognized by what the program does with them."""

from collections.abc import Iterator
from dataclasses import dataclass

from jaxbench_predictor.execution.liveness import inputs_of
from jaxbench_predictor.listing.model import Address, Immediate, Listing, Op, Symbol


@dataclass(frozen=True, slots=True)
class AssumedWord:
    """A word and what it is taken to be."""

    allocation: str
    value: int
    assumption: str
    """In words, for the report; empty where it makes no difference worth telling."""


def assumed_words(listing: Listing) -> tuple[AssumedWord, ...]:
    """Returns what is assumed of the words that `listing` loads and never stores."""
    stored = {op.operands[0].terms[0] for op in _ops(listing, "sst") if isinstance(op.operands[0], Address)}
    users = _users(listing)
    words: dict[str, AssumedWord] = {}
    for load in _ops(listing, "sld"):
        match load.operands:
            case (Address("smem", (Symbol(allocation, 0) as symbol,)),) if symbol not in stored and load.result:
                for user in users.get(load.result.name, ()):
                    if word := _recognized(allocation, user, users):
                        words.setdefault(allocation, word)
            case _:
                continue
    return tuple(words.values())


def _recognized(allocation: str, user: Op, users: dict[str, list[Op]]) -> AssumedWord | None:
    match user.opcode, _immediates(user):
        case "scmp.ne.s32.totalorder", [1]:
            # The state of the program's descriptor: nothing runs unless it is one.
            return AssumedWord(allocation, 1, "")
        case "scmp.eq.s32.totalorder", [0]:
            return AssumedWord(allocation, 0, "no seed for the random number generator is set in this run")
        case "scmp.ne.s32.totalorder", [0] if _sizes_a_dma(user, users):
            return AssumedWord(allocation, 1, "steady state, back to back: the previous run has prefetched an operand")
        case "sand.u32", [1023]:
            # The count of programs after which a buffer of trace entries is written.
            return AssumedWord(allocation, 1, "")
        case _:
            return None


def _sizes_a_dma(comparison: Op, users: dict[str, list[Op]]) -> bool:
    if comparison.result is None:
        return False
    selects = [op for op in users.get(comparison.result.name, ()) if op.opcode == "scalar_select" and op.result]
    return any(
        user.opcode.startswith("dma.") for op in selects if op.result for user in users.get(op.result.name, ())
    )


def _immediates(op: Op) -> list[int | float]:
    return [operand.value for operand in op.operands if isinstance(operand, Immediate)]


def _ops(listing: Listing, opcode: str) -> Iterator[Op]:
    return (op for bundle in listing.bundles for op in bundle if op.opcode == opcode)


def _users(listing: Listing) -> dict[str, list[Op]]:
    users: dict[str, list[Op]] = {}
    for bundle in listing.bundles:
        for op in bundle:
            for name in set(inputs_of(op)):
                users.setdefault(name, []).append(op)
    return users
