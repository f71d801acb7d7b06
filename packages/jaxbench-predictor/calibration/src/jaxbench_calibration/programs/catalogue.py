"""All programs."""

from functools import cache

from jaxbench_calibration.programs.kernels import kernel_programs
from jaxbench_calibration.programs.program import Program
from jaxbench_calibration.programs.published_forms import published_forms
from jaxbench_calibration.programs.references import reference_programs
from jaxbench_calibration.programs.variants import variant_programs


@cache
def programs() -> dict[str, Program]:
    """Returns every program by name."""
    found = [*reference_programs(), *variant_programs(), *published_forms(), *kernel_programs()]
    return {program.name: program for program in found}
