"""What a Program is made of, as the guard read it."""

import re
from typing import Annotated

from pydantic import Field

from jaxbench_harness.records.base import ByteCount, Model, NonEmptyStr, OneLine

_NUMBER = re.compile(r"\d+")
_INDEX_BITS = 32

Count = Annotated[int, Field(ge=0)]


def bits_of(dtype: str) -> int:
    """Returns the bits of an element type as MLIR names it: 16 for `bf16`, 8 for `f8E4M3FN` and `i8`."""
    if dtype.startswith("complex<"):
        return 2 * bits_of(dtype.removeprefix("complex<"))
    number = _NUMBER.search(dtype)
    return int(number[0]) if number else _INDEX_BITS


class Buffer(Model):
    """A block of an operand, or scratch, as one step of a kernel's grid sees it."""

    shape: tuple[int | None, ...]
    """Extent of each axis; null where it is not static."""
    dtype: NonEmptyStr
    """Element type as MLIR writes it, such as `bf16`."""
    memory_space: NonEmptyStr
    """Where it is: `vmem`, `smem`, `hbm`, `any`, `semaphore_mem`; `unknown` where the kernel does not say."""


class Contraction(Model):
    """Matrix products or convolutions of the same element types."""

    lhs: NonEmptyStr
    """Element type of the left operand."""
    rhs: NonEmptyStr
    """Element type of the right operand."""
    result: NonEmptyStr
    """Element type of the result; in a kernel, of the accumulator."""
    count: Annotated[int, Field(ge=1)]
    """Operations of these types in the code, loops not unrolled."""

    @property
    def operand_bits(self) -> int:
        """Bits of the narrower operand's elements."""
        return min(bits_of(self.lhs), bits_of(self.rhs))


class KernelReport(Model):
    """One Mosaic kernel of a Program."""

    name: NonEmptyStr
    """Name that the source gave it."""
    grid: tuple[int | None, ...]
    """Steps along each axis; null where it is not static; empty where there is no grid."""
    dimension_semantics: tuple[NonEmptyStr, ...]
    """Per axis of the grid: `parallel`, `arbitrary`, `core_parallel`."""
    prefetched: tuple[Buffer, ...]
    """Scalars that are read before the grid starts."""
    operands: tuple[Buffer, ...]
    """Blocks of inputs, then of outputs."""
    scratch: tuple[Buffer, ...]
    """Scratch buffers and semaphores."""
    contractions: tuple[Contraction, ...]
    """Matrix products in its body."""
    flops: Count | None
    """FLOPs of one call, all steps of the grid; null where they cannot be counted."""


class Constant(Model):
    """A constant array whose elements differ."""

    type: NonEmptyStr
    """Shape and element type as MLIR writes them, such as `2048x64xf32`."""
    constant_bytes: ByteCount
    """Its size."""


class ProgramReport(Model):
    """The full-size Program for the target, as the guard read it; docs/pipeline.md says how it counts.

    Long lists are cut: the numbers beside them are of the whole Program.
    """

    kernel_count: Count
    """Mosaic kernels in its code."""
    kernels: tuple[KernelReport, ...]
    """The first of them."""
    contractions: tuple[Contraction, ...]
    """Matrix products and convolutions outside the kernels."""
    operations: dict[NonEmptyStr, Count]
    """Operations outside the kernels by name, the most frequent ones."""
    constants: tuple[Constant, ...]
    """The largest constants; those with one value throughout do not count."""
    constant_bytes: ByteCount
    """Size of all constants, without those with one value throughout."""
    flops: Count | None
    """FLOPs of one call, every branch counted as its dearest one; null where they cannot be counted."""
    nominal_flops: Count
    """FLOPs by which the workload states its throughput."""
    useful_flops: Count
    """FLOPs that no kernel can do without, by the workload."""
    library: tuple[OneLine, ...]
    """Where library kernels were recognised: kernel names and source files that the Program names."""
    reference: tuple[OneLine, ...]
    """Source files of the workloads' package that the Program names."""

    @property
    def flops_fraction(self) -> float | None:
        """Counted FLOPs per useful one; None where either is unknown or zero."""
        return None if self.flops is None or not self.useful_flops else self.flops / self.useful_flops
