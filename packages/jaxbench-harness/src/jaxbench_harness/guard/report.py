"""Describes a Program for a person."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jax.extend.mlir import ir

from jaxbench_harness.guard.counting import FlopCounter, grid_of, kernel_flops
from jaxbench_harness.guard.kernels import Kernel
from jaxbench_harness.guard.origins import library_marks, reference_marks, source_files
from jaxbench_harness.guard.reading import CONTRACTIONS, dtype_of, elements_of, functions_of, is_array, shape_of, walk
from jaxbench_harness.records import Buffer, Constant, Contraction, KernelReport, ProgramReport, one_line
from jaxbench_harness.records.program_report import bits_of
from jaxbench_harness.workload import Workload

_MOST_KERNELS = 32
_MOST_BUFFERS = 64
_MOST_OPERATIONS = 60
_MOST_CONSTANTS = 8
_NAME_LIMIT = 120
_MEMORY_SPACE = "#tpu.memory_space<"
_SEMANTICS = "#tpu.dimension_semantics<"


def report_of(module: Any, kernels: Mapping[Any, Kernel], workload: Workload, size: str) -> ProgramReport:
    """Returns what a guarded Program is made of.

    Args:
        module: Its StableHLO.
        kernels: Its kernels by custom call.
        workload: What it has to compute.
        size: Name of the size it is for.
    """
    operations = list(walk(module.operation))
    constants = sorted(
        _constants([*operations, *(inner for one in kernels.values() for inner in walk(one.module.operation))]),
        key=lambda constant: -constant.constant_bytes,
    )
    files = source_files(module, kernels.values())
    dims = workload.size(size)
    names = Counter(operation.name for operation in operations if not operation.name.startswith("func."))
    return ProgramReport(
        kernel_count=len(kernels),
        kernels=tuple(_kernel_report(kernel) for kernel in list(kernels.values())[:_MOST_KERNELS]),
        contractions=_contractions(operations),
        operations=dict(names.most_common(_MOST_OPERATIONS)),
        constants=tuple(constants[:_MOST_CONSTANTS]),
        constant_bytes=sum(constant.constant_bytes for constant in constants),
        flops=program_flops(module, kernels),
        nominal_flops=workload.flop_count(dims),
        useful_flops=workload.useful_flop_count(dims),
        library=library_marks(files, kernels.values()),
        reference=reference_marks(files),
    )


def program_flops(module: Any, kernels: Mapping[Any, Kernel]) -> int | None:
    """Returns the FLOPs of one call of a Program; None where they cannot be counted."""
    return FlopCounter(functions_of(module), lambda call: kernel_flops(kernels[call])).function("main")


def _contractions(operations: Iterable[Any]) -> tuple[Contraction, ...]:
    found = Counter(
        (*(dtype_of(operand.type) for operand in list(operation.operands)[:2]), dtype_of(operation.results[0].type))
        for operation in operations
        if operation.name in CONTRACTIONS
    )
    return tuple(
        Contraction(lhs=lhs, rhs=rhs, result=result, count=count) for (lhs, rhs, result), count in sorted(found.items())
    )


def _constants(operations: Iterable[Any]) -> Iterable[Constant]:
    for operation in operations:
        if not operation.name.endswith(".constant"):
            continue
        value = operation.attributes.get("value")
        kind = operation.results[0].type
        if not is_array(kind) or (isinstance(value, ir.DenseElementsAttr) and value.is_splat):
            continue
        size = -(-elements_of(kind) * bits_of(dtype_of(kind)) // 8)
        shape = "x".join(map(str, shape_of(kind)))
        yield Constant(type=f"{shape}x{dtype_of(kind)}", constant_bytes=size)


def _kernel_report(kernel: Kernel) -> KernelReport:
    entry = kernel.entries[0]
    attributes = entry.attributes
    grid = grid_of(entry)
    buffers = [_buffer(argument.type) for argument in list(entry.regions[0].blocks[0].arguments)[len(grid) :]]
    first = _integer(attributes.get("scalar_prefetch"))
    last = len(buffers) - _integer(attributes.get("scratch_operands"))
    semantics: Sequence[Any] = attributes.get("dimension_semantics") or ()
    return KernelReport(
        name=one_line(kernel.name, limit=_NAME_LIMIT),
        grid=grid,
        dimension_semantics=tuple(str(one).removeprefix(_SEMANTICS).rstrip(">") for one in semantics),
        prefetched=tuple(buffers[:first][:_MOST_BUFFERS]),
        operands=tuple(buffers[first:last][:_MOST_BUFFERS]),
        scratch=tuple(buffers[last:][:_MOST_BUFFERS]),
        contractions=_contractions(walk(kernel.module.operation)),
        flops=kernel_flops(kernel),
    )


def _buffer(kind: Any) -> Buffer:
    space = str(kind.memory_space) if isinstance(kind, ir.MemRefType) else ""
    known = space.startswith(_MEMORY_SPACE)
    return Buffer(
        shape=shape_of(kind),
        dtype=one_line(dtype_of(kind), limit=_NAME_LIMIT),
        memory_space=space.removeprefix(_MEMORY_SPACE).rstrip(">") if known else "unknown",
    )


def _integer(attribute: Any) -> int:
    return attribute.value if isinstance(attribute, ir.IntegerAttr) else 0
