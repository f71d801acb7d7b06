"""Counts the FLOPs of a Program from its operations.

Counted are multiplications and additions of contractions (2 per pair), and floating-point arithmetic element by element
(1 each). Comparisons, selections, conversions and integers count nothing. Loops count as often as they run, kernels
once per step of their grid, a branch as its dearest side, so the result is an upper limit of what runs. Where the
number of steps is not in the code there is no count: never a guess.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jaxbench_harness.guard.kernels import Kernel
from jaxbench_harness.guard.reading import (
    callee_of,
    dtype_of,
    elements_of,
    functions_of,
    is_float,
    is_mosaic_call,
    shape_of,
    text_of,
)
from jaxbench_harness.guard.trips import for_trips, while_trips

_ARITHMETIC = frozenset({
    *(f"stablehlo.{name}" for name in (
        "add", "atan2", "cbrt", "clamp", "cosine", "divide", "exponential", "exponential_minus_one", "log",
        "log_plus_one", "logistic", "maximum", "minimum", "multiply", "negate", "power", "remainder", "rsqrt", "sine",
        "sqrt", "subtract", "tan", "tanh",
    )),
    *(f"arith.{name}" for name in (
        "addf", "divf", "maximumf", "maxnumf", "minimumf", "minnumf", "mulf", "negf", "remf", "subf",
    )),
    "tpu.logistic", "tpu.reciprocal",
})  # fmt: skip
_ARITHMETIC_DIALECTS = frozenset({"chlo", "math"})
_REDUCTIONS = frozenset({
    "tpu.all_reduce", "tpu.reduce", "tpu.scan", "vector.multi_reduction", "vector.reduction"
})  # fmt: skip
_BRANCHES = frozenset({"scf.if", "scf.index_switch", "stablehlo.case", "stablehlo.if"})
_UNCOUNTABLE = frozenset({
    "chlo.ragged_dot", "stablehlo.cholesky", "stablehlo.fft", "stablehlo.triangular_solve", "tpu.conv",
    "tpu.matmul_acc_lhs", "tpu.matmul_lhs_fifo", "tpu.matmul_pop", "tpu.matmul_pop_fifo", "tpu.matmul_push_rhs",
    "vector.contract", "vector.outerproduct",
})  # fmt: skip
_FIRST_LIST = re.compile(r"\[([\d, ]*)\]")


class FlopCounter:
    """Counts operations of one module."""

    def __init__(self, functions: Mapping[str, Any], of_kernel: Callable[[Any], int | None]) -> None:
        """Takes the module's functions and what counts one of its Mosaic calls."""
        self._functions = functions
        self._of_kernel = of_kernel
        self._known: dict[str, int | None] = {}

    def function(self, name: str) -> int | None:
        """Returns the FLOPs of one call; None where they cannot be counted.

        Raises:
            KeyError: If there is no such function.
            RecursionError: If it calls itself.
        """
        if name not in self._known:
            self._known[name] = self._regions(self._functions[name])
        return self._known[name]

    def _regions(self, operation: Any) -> int | None:
        return total(self._region(region) for region in operation.regions)

    def _region(self, region: Any) -> int | None:
        return total(self._operation(inner.operation) for block in region for inner in block)

    def _operation(self, operation: Any) -> int | None:
        if operation.name in _UNCOUNTABLE:
            return None
        if callee := callee_of(operation):
            return self.function(callee)
        if is_mosaic_call(operation):
            return self._of_kernel(operation)
        if operation.name in _BRANCHES:
            sides = [self._region(region) for region in operation.regions]
            return None if None in sides else max((side for side in sides if side is not None), default=0)
        if len(operation.regions):
            return _times(_repetitions(operation), self._regions(operation))
        return contraction_flops(operation) or _arithmetic_flops(operation)


def kernel_flops(kernel: Kernel) -> int | None:
    """Returns the FLOPs of one call of a kernel, all steps of its grid; None where they cannot be counted."""
    counter = FlopCounter(functions_of(kernel.module), lambda _: None)
    return total(
        _times(_steps(grid_of(entry)), counter.function(text_of(entry, "sym_name"))) for entry in kernel.entries
    )


def grid_of(entry: Any) -> tuple[int | None, ...]:
    """Returns the grid of a kernel's function, null for what is not static; empty where there is none."""
    bounds: Sequence[int] = entry.attributes.get("iteration_bounds") or ()
    return tuple(None if bound < 0 else int(bound) for bound in bounds)


def contraction_flops(operation: Any) -> int:
    """Returns the FLOPs of a matrix product or a convolution; 0 for anything else."""
    if operation.name == "tpu.matmul":
        axes = _FIRST_LIST.search(str(operation.attributes["dimension_numbers"]))
        assert axes is not None, "Mosaic's verifier wants dimension numbers"
        return _dot_flops(operation, [int(axis) for axis in axes[1].split(",") if axis.strip()])
    if operation.name == "stablehlo.dot_general":
        numbers = str(operation.attributes["dot_dimension_numbers"])
        axes = re.search(r"lhs_contracting_dimensions = \[([\d, ]*)\]", numbers)
        return _dot_flops(operation, [int(axis) for axis in axes[1].split(",")] if axes else [])
    if operation.name == "stablehlo.convolution":
        return _convolution_flops(operation)
    return 0


def _dot_flops(operation: Any, contracting: Sequence[int]) -> int:
    left = shape_of(operation.operands[0].type)
    return 2 * elements_of(operation.results[0].type) * math.prod(left[axis] or 0 for axis in contracting)


def _convolution_flops(operation: Any) -> int:
    """Every output element sums over the kernel's window and its input features."""
    numbers = str(operation.attributes["dimension_numbers"])
    kernel_axes = re.search(r"x\[([^\]]*)\]->", numbers)
    assert kernel_axes is not None, "StableHLO's verifier wants dimension numbers"
    kernel = shape_of(operation.operands[1].type)
    feature = [axis.strip() for axis in kernel_axes[1].split(",")].index("o")
    summed = math.prod(extent or 0 for axis, extent in enumerate(kernel) if axis != feature)
    dilation: Sequence[int] = operation.attributes.get("lhs_dilation") or ()
    # A dilated input is mostly zeros, with which nothing has to be multiplied.
    return 2 * elements_of(operation.results[0].type) * summed // math.prod(map(int, dilation))


def _arithmetic_flops(operation: Any) -> int:
    name = operation.name
    if name in _REDUCTIONS:
        source = operation.operands[0].type
        return elements_of(source) if is_float(dtype_of(source)) else 0
    if name not in _ARITHMETIC and name.partition(".")[0] not in _ARITHMETIC_DIALECTS:
        return 0
    return sum(elements_of(result.type) for result in operation.results if is_float(dtype_of(result.type)))


def _repetitions(operation: Any) -> int | None:
    """Returns how often what is inside an operation runs; None where the code does not say."""
    count = _REPETITIONS.get(operation.name)
    return count(operation) if count else 1


def _windows(operation: Any) -> int:
    window = operation.attributes["window_dimensions"]
    return elements_of(operation.results[0].type) * math.prod(int(extent) for extent in window)


def _updates(operation: Any) -> int:
    return elements_of(operation.operands[2 * len(operation.results)].type)


def _inputs(operation: Any) -> int:
    return elements_of(operation.operands[0].type)


_REPETITIONS: Mapping[str, Callable[[Any], int | None]] = {
    "scf.for": for_trips,
    "scf.while": lambda _: None,
    "stablehlo.map": _inputs,
    "stablehlo.reduce": _inputs,
    "stablehlo.reduce_window": _windows,
    "stablehlo.scatter": _updates,
    "stablehlo.select_and_scatter": _inputs,
    "stablehlo.while": while_trips,
}


def _steps(grid: Sequence[int | None]) -> int | None:
    return None if None in grid else math.prod(extent for extent in grid if extent is not None)


def _times(count: int | None, each: int | None) -> int | None:
    if each == 0 or count == 0:
        return 0
    return None if count is None or each is None else count * each


def total(counts: Any) -> int | None:
    """Returns the sum; None where a summand is."""
    summands: list[int | None] = list(counts)
    return None if None in summands else sum(summand for summand in summands if summand is not None)
