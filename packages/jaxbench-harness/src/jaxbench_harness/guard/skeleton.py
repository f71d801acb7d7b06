"""Skeleton of a Program: which computations it holds, without the shapes; and how two skeletons differ.

A helper that unrolls a loop repeats operations, a block that covers an axis needs no reshape, a size that does not
divide needs padding. So loops, data movement, constants and the arithmetic of indices are left out, and calls are
followed; what is left is counted by name and element types. Honest code does at full size every computation that it
does at check size, at least as often, and no other.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from jaxbench_harness.guard.kernels import Kernel
from jaxbench_harness.guard.reading import (
    CONTRACTIONS,
    callee_of,
    dtype_of,
    functions_of,
    is_float,
    is_mosaic_call,
    shape_of,
    text_of,
)

Skeleton = Counter[str]

_MOVEMENT = frozenset({
    *(f"stablehlo.{name}" for name in (
        "broadcast_in_dim", "concatenate", "constant", "dynamic_slice", "dynamic_update_slice", "optimization_barrier",
        "pad", "reshape", "return", "reverse", "slice", "transpose", "while",
    )),
    "arith.constant", "chlo.constant", "func.return", "scf.for", "scf.if", "scf.while", "scf.yield",
    "tpu.concatenate", "tpu.load", "tpu.region", "tpu.repeat", "tpu.reshape", "tpu.strided_load", "tpu.transpose",
    "tpu.vector_load", "tpu.yield", "vector.broadcast", "vector.extract", "vector.extract_strided_slice",
    "vector.load", "vector.shape_cast", "vector.transpose",
})  # fmt: skip


def skeleton_of(functions: Mapping[str, Any], kernels: Mapping[Any, Kernel]) -> Skeleton:
    """Returns how often each computation is in the code that `main` reaches.

    Raises:
        KeyError: If a function is called that there is not.
        RecursionError: If a function calls itself.
    """
    return _Reader(functions, kernels, "").function("main")


class _Reader:
    def __init__(self, functions: Mapping[str, Any], kernels: Mapping[Any, Kernel], place: str) -> None:
        self._functions = functions
        self._kernels = kernels
        self._place = place
        self._known: dict[str, Skeleton] = {}

    def function(self, name: str) -> Skeleton:
        if name not in self._known:
            self._known[name] = self._inside(self._functions[name])
        return self._known[name]

    def _inside(self, operation: Any) -> Skeleton:
        found: Skeleton = Counter()
        for region in operation.regions:
            for block in region:
                for inner in block:
                    self._add(found, inner.operation)
        return found

    def _add(self, found: Skeleton, operation: Any) -> None:
        if callee := callee_of(operation):
            found.update(self.function(callee))
        elif is_mosaic_call(operation):
            kernel = self._kernels[operation]
            reader = _Reader(functions_of(kernel.module), {}, " in a kernel")
            for entry in kernel.entries:
                found.update(reader.function(text_of(entry, "sym_name")))
            found["Mosaic kernel"] += 1
        elif label := _label(operation):
            found[label + self._place] += 1
            found.update(self._inside(operation))
        else:
            found.update(self._inside(operation))


def _label(operation: Any) -> str | None:
    """Returns what a computation is called; None for what only moves data or computes indices."""
    name = operation.name
    if name == "stablehlo.custom_call":
        return f"{name} {text_of(operation, 'call_target_name')}"
    types = [dtype_of(result.type) for result in operation.results]
    if name in CONTRACTIONS:
        left, right = (dtype_of(operand.type) for operand in list(operation.operands)[:2])
        return f"{name} of {left} and {right} to {types[0]}"
    padding = name == "stablehlo.convert" and not shape_of(operation.results[0].type)  # to the dtype that is padded
    if padding or name in _MOVEMENT or not any(map(is_float, types)):
        return None
    return f"{name} to {', '.join(types)}"


def differences(full: Skeleton, check: Skeleton) -> list[str]:
    """Returns what the full-size Program computes less often than the check-size one, or as the only one."""
    found: list[str] = []
    for label in sorted(full.keys() | check.keys()):
        if full[label] < check[label]:
            found.append(f"{label}: {full[label]} at full size, {check[label]} at check size")
        elif not check[label]:
            found.append(f"{label}: {full[label]} at full size, none at check size")
    return found
