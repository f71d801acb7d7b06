"""Programs that the compiler splits between TensorCore and SparseCore.

How long the SparseCore takes is not known. Where its part is small, it is predicted as if the TensorCore did it; where
it is not, there is no prediction.
"""

from collections.abc import Iterator
from typing import Any

from jaxbench_predictor.hlo.module import HloModule, Instruction, parse_module
from jaxbench_predictor.outcome import Prediction, Unavailable

OTHER_CORE = "sparsecore"
"""Name of its thread in HLO text."""

_NEGLIGIBLE = 0.05
"""Share of the time below which it makes no difference which core does a part: predictions differ as much."""

_CALLS = ("calls", "to_apply", "condition", "body")
_HEAVY = frozenset({"gather", "scatter", "sort"})
"""What the compiler hands over for its own sake."""

_PLUMBING = frozenset({"call-done", "call-start", "constant", "custom-call", "fusion", "parameter", "tuple"})
"""What comes with it, and is found everywhere."""


def offloaded_opcodes(hlo: str) -> frozenset[str]:
    """Returns what a module hands to the SparseCore, such as `scatter`; empty where it hands over nothing."""
    if OTHER_CORE not in hlo:
        return frozenset()
    module = parse_module(hlo)
    starts = [
        instruction
        for computation in module.computations.values()
        for instruction in computation.instructions.values()
        if OTHER_CORE in instruction.attributes.get("async_execution_thread", "")
    ]
    found = frozenset(opcode for start in starts for opcode in _opcodes(module, start)) - _PLUMBING
    # Also where nothing of it is recognized, something is handed over.
    return found & _HEAVY or found or frozenset({"copy"})


def without_sparse_core(
    outcome: Prediction | Unavailable, hlo: str, offloaded: frozenset[str], *, tensor_core_only: bool = False
) -> Prediction | Unavailable:
    """Judges a prediction made as if the TensorCore did everything.

    Args:
        outcome: The prediction.
        hlo: HLO text of the module that it was made of.
        offloaded: What the compiler would have handed over.
        tensor_core_only: Whether any share of the time is accepted; the prediction is then not calibrated.

    Returns:
        It, with the assumption added; `Unavailable` where that would say too much.
    """
    if not offloaded or isinstance(outcome, Unavailable):
        return outcome
    module = parse_module(hlo)
    moved = 0.0
    for entry in outcome.report.hlo:
        instruction = module.find(entry.name)
        # What cannot be looked at may be what was handed over.
        if instruction is None or offloaded & {instruction.opcode, *_opcodes(module, instruction)}:
            moved += entry.time_ns
    share = moved / outcome.time_ns
    work = ", ".join(sorted(offloaded))
    if share > _NEGLIGIBLE and not tensor_core_only:
        return Unavailable(
            stage="execute",
            reason=f"the compiler hands work to the SparseCore ({work}), which is not modelled; "
            f"on the TensorCore it would be {share:.0%} of the time",
            target=outcome.target,
        )
    assumption = f"the TensorCore does what the compiler hands to the SparseCore ({work}): {share:.1%} of the time"
    report = outcome.report.model_copy(update={"assumptions": (*outcome.report.assumptions, assumption)})
    changes: dict[str, Any] = {"report": report}
    if share > _NEGLIGIBLE:
        changes |= {"calibrated": False, "low_ns": None, "high_ns": None}
    return outcome.model_copy(update=changes)


def _opcodes(module: HloModule, instruction: Instruction) -> Iterator[str]:
    """Yields the opcodes of all computations that an instruction calls."""
    waiting = [instruction]
    seen: set[str] = set()
    while waiting:
        present = waiting.pop()
        for key in _CALLS:
            name = present.attributes.get(key, "").removeprefix("%")
            computation = module.computations.get(name)
            if computation is not None and name not in seen:
                seen.add(name)
                for called in computation.instructions.values():
                    yield called.opcode
                    waiting.append(called)
