"""Review: reasons for a person to look at a record, from what was found in its Programs."""

from collections.abc import Iterator

from jaxbench_harness.compiling.messages import Findings
from jaxbench_harness.records import Bound, Flag, FlagCode, ProgramReport, ResolvedConfig, one_line
from jaxbench_harness.workload import ITEM_BYTES, ArraySpec, Workload

MAX_CONSTANT_BYTES = 2**20
"""Bytes of constants beyond which they are flagged. The references of the catalogue hold none, and the outputs of 40 of
its 50 workloads have more; a table of sines for 2048 positions of 128 dims in float32 has just as many. A smaller one
can be baked in unseen, but inputs do not exist yet when a candidate is traced."""

LEAST_WORK = 0.5
"""Share of the FLOPs that are needed, below which work counts as skipped. References do at least all of them, and the
count is an upper limit; half leaves room for cheaper algorithms than the workload's authors knew."""

NATIVE_BITS = 16
"""Bits of the operands that a TPU's matrix unit multiplies by default."""


def review_program(findings: Findings, workload: Workload, config: ResolvedConfig) -> Iterator[Flag]:
    """Yields the flags of a candidate."""
    program = findings.program
    if program.kernel_count == 0:
        yield Flag(code=FlagCode.NO_PALLAS, detail="no Mosaic kernel in the full-size Program")
    if program.library and config.library_kernels == "flag":
        yield _flag(FlagCode.LIBRARY_KERNEL, ", ".join(program.library))
    if program.reference:
        yield _flag(FlagCode.IMPORTS_REFERENCE, ", ".join(program.reference))
    if program.constant_bytes > MAX_CONSTANT_BYTES:
        largest = ", ".join(constant.type for constant in program.constants)
        detail = f"{program.constant_bytes} bytes of constants, {MAX_CONSTANT_BYTES} are not flagged: {largest}"
        yield _flag(FlagCode.LARGE_CONSTANT, detail)
    if narrow := _narrow_products(program, workload):
        yield _flag(FlagCode.LOW_PRECISION, ", ".join(narrow))
    yield from _review_work(findings)


def review_sizes(findings: Findings) -> Iterator[Flag]:
    """Yields the flag for Programs that differ by more than their shapes."""
    if findings.size_differences:
        yield _flag(FlagCode.SIZE_DIVERGENCE, "; ".join(findings.size_differences))


def review_time(time_ns: float, bound: Bound) -> Iterator[Flag]:
    """Yields the flag for a time that no honest kernel reaches, in nanoseconds."""
    if time_ns < bound.time_ns:
        detail = f"takes {time_ns:.0f} ns, the {bound.binds} bound is {bound.time_ns:.0f} ns"
        yield _flag(FlagCode.BELOW_BOUND, detail)


def _review_work(findings: Findings) -> Iterator[Flag]:
    program = findings.program
    fraction = program.flops_fraction
    if fraction is not None and fraction < LEAST_WORK:
        detail = f"at most {program.flops} FLOPs in the full-size Program, the workload needs {program.useful_flops}"
        yield _flag(FlagCode.WORK_SKIPPED, detail)
    compiled, checked = findings.check_flops, findings.interpreted_flops
    if compiled is not None and checked is not None and compiled < LEAST_WORK * checked:
        detail = f"at check size {checked} FLOPs in the Program that is checked, {compiled} in the one for the target"
        yield _flag(FlagCode.PROGRAM_DIVERGENCE, detail)


def _narrow_products(program: ProgramReport, workload: Workload) -> list[str]:
    """Returns products of operands that are narrower than the matrix unit's own, and than every input."""
    arrays = [spec for spec in workload.arguments(workload.size("full")) if isinstance(spec, ArraySpec)]
    inputs = [8 * ITEM_BYTES[spec.dtype] for spec in arrays if spec.dtype != "bool"]
    least = min([NATIVE_BITS, *inputs])
    contractions = [*program.contractions, *(one for kernel in program.kernels for one in kernel.contractions)]
    return list(
        dict.fromkeys(f"{one.lhs} x {one.rhs} to {one.result}" for one in contractions if one.operand_bits < least)
    )


def _flag(code: FlagCode, detail: str) -> Flag:
    return Flag(code=code, detail=one_line(detail))
