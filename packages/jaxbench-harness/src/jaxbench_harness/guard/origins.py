"""Recognises code of libraries and of the workloads' package in a Program, by what it says of its own origin.

Kernel names and source locations are notes for people. A candidate that copies a kernel, or forges the Program, can
write any others; what is found is a fact, what is not found is not.
"""

import re
from collections.abc import Iterable
from typing import Any

from jaxbench_harness.guard.kernels import Kernel
from jaxbench_harness.records import one_line

_SOURCE_FILE = re.compile(r'"([^"\n]{1,300}\.py)"')
_LIBRARY = re.compile(r"(?:^|/)(tokamax/|jax/experimental/pallas/ops/)")
_REFERENCE = re.compile(r"(?:^|/)(jaxbench_workloads/|jaxbench_baselines/)")
_MOST_NAMED = 8
_LONG_CONSTANT = 16
"""Elements of a constant beyond which it is left out of the text that is searched."""


def source_files(module: Any, kernels: Iterable[Kernel]) -> list[str]:
    """Returns the Python files that the locations in a module and its kernels name."""
    texts = [_text(module), *(_text(kernel.module) for kernel in kernels)]
    return sorted({path for text in texts for path in _SOURCE_FILE.findall(text)})


def library_marks(files: Iterable[str], kernels: Iterable[Kernel]) -> tuple[str, ...]:
    """Returns the files and kernels that belong to Tokamax or to the kernels that come with JAX."""
    marks = [path for path in files if _LIBRARY.search(path)]
    if not marks:
        return ()
    names = {kernel.name for kernel in kernels if any(map(_LIBRARY.search, source_files(kernel.module, ())))}
    return _cut([*(f"kernel {name}" for name in sorted(names)), *marks])


def reference_marks(files: Iterable[str]) -> tuple[str, ...]:
    """Returns the files that belong to the packages of the workloads and baselines."""
    return _cut([path for path in files if _REFERENCE.search(path)])


def _cut(marks: list[str]) -> tuple[str, ...]:
    return tuple(one_line(mark, limit=200) for mark in marks[:_MOST_NAMED])


def _text(module: Any) -> str:
    return module.operation.get_asm(enable_debug_info=True, large_elements_limit=_LONG_CONSTANT)
