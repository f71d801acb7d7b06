"""Writes the golden dumps anew: `python packages/jaxbench-predictor/tests/support/regenerate_golden.py [NAME ...]`.

Run it when libtpu is upgraded, and read what the tests then say.
"""

import io
import re
import sys
import tarfile
import tempfile
from pathlib import Path

from golden_dumps import GOLDEN
from integer_kernels import INTEGER_KERNELS
from limited_kernels import LIMITED_KERNELS
from predicted_kernels import KERNELS

from jaxbench_predictor.dumps.compiling import Limits, compile_into
from jaxbench_predictor.exporting import export_program
from jaxbench_predictor.machines import get_machine

_HOST_PATHS = re.compile(r'"/[^"]*"')


def main(names):
    machine = get_machine("v6e")
    kernels = KERNELS | INTEGER_KERNELS | LIMITED_KERNELS
    for name in names or kernels:
        program = export_program(kernels[name].function, kernels[name].specs, machine)
        with tempfile.TemporaryDirectory() as scratch, tarfile.open(GOLDEN / f"{name}.tar.xz", "w:xz") as archive:
            compile_into(Path(scratch), program, machine, Limits())
            for path in sorted(Path(scratch).iterdir()):
                if path.suffix == ".txt" and "schedule-analysis" not in path.name:
                    text = _HOST_PATHS.sub('"/"', path.read_text()).encode()
                    member = tarfile.TarInfo(path.name)
                    member.size = len(text)
                    archive.addfile(member, io.BytesIO(text))


if __name__ == "__main__":
    main(sys.argv[1:])
