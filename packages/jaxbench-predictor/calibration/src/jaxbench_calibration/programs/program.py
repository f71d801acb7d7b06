"""What a program of the fit set is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Built = tuple[Callable[..., Any], Sequence[Any]]
"""A function, and its arguments as `jax.ShapeDtypeStruct`s."""


@dataclass(frozen=True)
class Program:
    """One program whose device time was published, or a candidate for what was measured.

    Attributes:
        name: Unique name: workload, `xla` or `expert`, and the configuration where there are several.
        workload: Id of the workload.
        variant: `baseline` or `optimized`, as in the published table.
        build: Returns the function and its arguments.
        words: Returns contents of integer arguments, as 32-bit words by position, for programs whose control flow
            depends on them.
        operands: Returns contents of scalar operands of kernels, by the interpreter's name for the operand, where they
            do not come straight from a parameter.
        slower: Its time over the published one, for a kernel before tuning.
        note: What is special about it.
        fitted: Whether it belongs to the fit set; others serve comparisons, such as untuned block sizes.
    """

    name: str
    workload: str
    variant: str
    build: Callable[[], Built]
    words: Callable[[], Mapping[int, Sequence[int]]] = field(default=dict[int, Sequence[int]])
    operands: Callable[[], Mapping[str, Sequence[int]]] = field(default=dict[str, Sequence[int]])
    slower: float = 1.0
    note: str = ""
    fitted: bool = True
