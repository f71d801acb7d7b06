"""Recognizes what the Pallas TPU interpreter says of a kernel that misuses memory.

It raises from a callback, so that only text arrives: the traceback, and behind it the message.
"""

import re
from pathlib import PurePath
from typing import NamedTuple

from jaxbench_harness.records import FailureCode

MEMORY_FAULTS = frozenset({FailureCode.RACE, FailureCode.OUT_OF_BOUNDS, FailureCode.REVISITED_OUTPUT})

_ACCESS = r"(read|write) of \('(\w+)',.*?\)\[(.*?)\] from \(.*?\), (.*)"
_RACE = re.compile(rf"RACE DETECTED\s+{_ACCESS}\n.*\n\s*{_ACCESS}")
_OUT_OF_BOUNDS = re.compile(
    r"Out-of-bounds (read|write|swap|masked swap) of\s+\(\d+ \d+ (\w+) \d+\):"
    r"\s+\w+ \[\(?(.*?),?\)?\] but buffer has shape\s+(\(.*?\))"
)
_BLOCK_OUT_OF_BOUNDS = re.compile(r"Out-of-bounds block index .* has shape \(.*?\)")
_REVISITED = re.compile(r"Revisited block .* of output \d+ in iteration \(.*?\)")
_SLICE = re.compile(r"slice\((-?\w+), (-?\w+), -?\w+\)")


class MemoryFault(NamedTuple):
    """What a kernel did."""

    code: FailureCode
    reason: str
    """What, to which memory, and where the interpreter tells it."""


def memory_fault(message: str) -> MemoryFault | None:
    """Returns what the message of an exception says of the kernel, or None where it says something else."""
    if race := _RACE.search(message):
        one, other = race.groups()[:4], race.groups()[4:]
        reason = f"nothing orders the {_access(*one)} and the {_access(*other)}"
        return MemoryFault(FailureCode.RACE, reason)
    if beyond := _OUT_OF_BOUNDS.search(message):
        what, memory, index, shape = beyond.groups()
        reason = f"out-of-bounds {what.replace('swap', 'write')} of {memory.upper()}: ({index}) of shape {shape}"
        return MemoryFault(FailureCode.OUT_OF_BOUNDS, _readable(reason))
    if block := _BLOCK_OUT_OF_BOUNDS.search(message):
        return MemoryFault(FailureCode.OUT_OF_BOUNDS, _readable(block.group()))
    if revisited := _REVISITED.search(message):
        return MemoryFault(FailureCode.REVISITED_OUTPUT, f"{_readable(revisited.group())}, which it had left")
    return None


def _access(kind: str, memory: str, index: str, frame: str) -> str:
    """Says `write of VMEM[0:8] at gemm.py:12:4 (kernel)`; copies between HBM and blocks have no line of their own."""
    place = "by pallas_call itself" if frame == "pallas_call" else f"at {PurePath(frame).name}"
    return _readable(f"{kind} of {memory.upper()}{'' if index == '()' else index} {place}")


def _readable(text: str) -> str:
    return _SLICE.sub(r"\1:\2", text)
