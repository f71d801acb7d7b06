"""Cases: a record beside the time that was measured for it."""

import csv
from dataclasses import dataclass
from enum import StrEnum
from importlib import resources
from pathlib import Path

import jaxbench_workloads.published
from jaxbench_calibration.compiling import record_path
from jaxbench_calibration.programs.program import Program
from jaxbench_calibration.recording import Record

_ZERO_WEIGHTS = "weights and biases were zero"
"""How the published table marks programs whose matrices were multiplied with zeros."""


class Family(StrEnum):
    """Kinds of programs that are held back together."""

    FUSION = "KernelBench fusions"
    PRODUCTION = "production operators, XLA"
    KERNEL = "Pallas kernels"


@dataclass(frozen=True)
class Case:
    """One program with its measured time.

    Attributes:
        program: The program.
        measured_ms: Published median device time.
        zero_weights: Whether it was measured with weights of zero.
        record: What its time depends on.
    """

    program: Program
    measured_ms: float
    zero_weights: bool
    record: Record

    @property
    def family(self) -> Family:
        """The kind of program."""
        if self.program.variant == "optimized":
            return Family.KERNEL
        number = self.program.workload.partition("_")[0]
        return Family.FUSION if number.endswith("k") else Family.PRODUCTION


def load_cases(programs: list[Program], records: Path) -> list[Case]:
    """Returns the cases of all programs that have a record."""
    table = resources.files(jaxbench_workloads.published).joinpath("v6e.csv").read_text(encoding="utf-8")
    published = {row["workload"]: row for row in csv.DictReader(table.splitlines())}
    cases: list[Case] = []
    for program in programs:
        path = record_path(records, program.name)
        if path.exists():
            row = published[program.workload]
            column = "xla_ms" if program.variant == "baseline" else "expert_ms"
            zero = program.variant == "baseline" and _is_zero(row)
            cases.append(Case(program, float(row[column]) * program.slower, zero, Record.load(path)))
    return cases


def _is_zero(row: dict[str, str]) -> bool:
    return any(note in row["xla_note"] for note in (_ZERO_WEIGHTS, "weights were zero"))
