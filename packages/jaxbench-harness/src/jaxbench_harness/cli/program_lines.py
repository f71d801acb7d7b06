"""Shows a person what a Program is made of."""

from collections import Counter
from collections.abc import Iterator, Sequence

from jaxbench_harness.cli.units import in_bytes, with_prefix
from jaxbench_harness.records import Buffer, Contraction, KernelReport, ProgramReport

_MOST_KERNELS = 8


def program_lines(program: ProgramReport) -> Iterator[str]:
    """Yields the lines that describe a Program: work, kernels, what is outside them."""
    yield _work(program)
    for kernel in program.kernels[:_MOST_KERNELS]:
        yield from _kernel(kernel)
    if (left := program.kernel_count - _MOST_KERNELS) > 0:
        yield f"  and {left} more Mosaic kernel{'s' if left > 1 else ''}"
    outside = program.operations.keys() - {"stablehlo.custom_call", "stablehlo.return"}
    if outside or not program.kernel_count:
        count = sum(program.operations[name] for name in outside)
        products = f", products {_products(program.contractions)}" if program.contractions else ""
        yield f"  outside kernels: {count} operations of {len(outside)} kinds{products}"
    if program.constants:
        held = ", ".join(constant.type for constant in program.constants)
        yield f"  constants: {in_bytes(program.constant_bytes)} ({held})"


def _work(program: ProgramReport) -> str:
    needed = f"the workload needs {with_prefix(program.useful_flops, 'FLOP')}"
    if program.flops is None:
        return f"the Program's FLOPs cannot be counted; {needed}"
    fraction = "" if program.flops_fraction is None else f", {program.flops_fraction:.2f} times as many"
    return f"the Program does at most {with_prefix(program.flops, 'FLOP')}; {needed}{fraction}"


def _kernel(kernel: KernelReport) -> Iterator[str]:
    grid = " x ".join("?" if extent is None else str(extent) for extent in kernel.grid) or "none"
    semantics = f" ({', '.join(kernel.dimension_semantics)})" if kernel.dimension_semantics else ""
    flops = "FLOPs unknown" if kernel.flops is None else with_prefix(kernel.flops, "FLOP")
    yield f"  kernel {kernel.name}: grid {grid}{semantics}; {flops}"
    for what, buffers in (
        ("prefetched", kernel.prefetched),
        ("blocks", kernel.operands),
        ("scratch", kernel.scratch),
    ):
        if buffers:
            yield f"    {what}: {_buffers(buffers)}"
    if kernel.contractions:
        yield f"    products: {_products(kernel.contractions)}"


def _buffers(buffers: Sequence[Buffer]) -> str:
    counts = Counter(map(_buffer, buffers))
    return ", ".join(text if count == 1 else f"{count} of {text}" for text, count in counts.items())


def _buffer(buffer: Buffer) -> str:
    shape = ",".join("?" if extent is None else str(extent) for extent in buffer.shape)
    return f"{buffer.dtype}[{shape}] in {buffer.memory_space}"


def _products(contractions: Sequence[Contraction]) -> str:
    return ", ".join(f"{one.lhs} x {one.rhs} to {one.result}" for one in contractions)
