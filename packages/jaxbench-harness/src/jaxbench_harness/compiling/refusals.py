"""Classifies the messages with which the TPU compiler refuses a Program."""

import re

from jaxbench_harness.records import FailureCode, one_line

_RULES: tuple[tuple[re.Pattern[str], FailureCode], ...] = (
    (
        re.compile(r"ScopedVmemOom|memory space [vs]mem|scoped vmem|exceeded [vs]mem", re.IGNORECASE),
        FailureCode.VMEM_EXHAUSTED,
    ),
    (re.compile(r"memory space hbm|HbmOom|RESOURCE_EXHAUSTED", re.IGNORECASE), FailureCode.HBM_EXHAUSTED),
    (
        re.compile(r"not implemented|unimplemented|unsupported|not supported|failed to legalize", re.IGNORECASE),
        FailureCode.UNSUPPORTED,
    ),
)


_SIZES = re.compile(
    r"(?:Scoped allocation with size \S+ and limit \S+ exceeded \w+ \w+ limit by [\d.]+\w)"
    r"|(?:Used \S+ of \S+ \w+)"
    r"|(?:the total memory required for .+? exceeds available \w+ \(\S+\))"
)
"""The part of an out-of-memory message that has the numbers."""


def classify(message: str) -> FailureCode:
    """Returns the kind of a refusal; COMPILER_ERROR when no rule fits."""
    return next((code for pattern, code in _RULES if pattern.search(message)), FailureCode.COMPILER_ERROR)


_CHIP_MEMORY = re.compile(r"memory space hbm|HbmOom", re.IGNORECASE)


def is_deterministic(message: str) -> bool:
    """Returns whether a refusal is about the Program and the chip, whatever the state of this host.

    A bare RESOURCE_EXHAUSTED may be about the host's own memory, and what no rule fits may be anything.
    """
    code = classify(message)
    about_chip = code is not FailureCode.HBM_EXHAUSTED or _CHIP_MEMORY.search(message) is not None
    return code is not FailureCode.COMPILER_ERROR and about_chip


def summarize(message: str) -> str:
    """Returns what of the message says most in one line, for a reason."""
    if sizes := _SIZES.search(message):
        return one_line(sizes[0])
    lines = [line.strip() for line in message.splitlines()]
    telling = [line for line in lines if any(pattern.search(line) for pattern, _ in _RULES)]
    return one_line((telling or [line for line in lines if line] or ["no message"])[0])
