"""Compiles programs with the old libtpu, and keeps a record of each instead of its dump."""

import logging
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from jaxbench_calibration.programs.program import Program
from jaxbench_calibration.recording import record
from jaxbench_predictor.dumps.environment import dump_environment
from jaxbench_predictor.dumps.reading import read_schedule
from jaxbench_predictor.execution.inputs import Inputs
from jaxbench_predictor.execution.values import UnpredictableError
from jaxbench_predictor.listing.model import ListingError
from jaxbench_predictor.machines import get_machine

_LOG = logging.getLogger(__name__)
TIMEOUT_S = 1800
"""Seconds for one program: the largest convolutions take minutes."""

_ENVIRONMENT = {
    # This version asks for more about the host than newer ones, and waits for a metadata server where it is not told.
    "TPU_CHIPS_PER_HOST_BOUNDS": "2,2,1",
    "TPU_HOST_BOUNDS": "1,1,1",
    "TPU_WORKER_ID": "0",
}


class NotRecordedError(Exception):
    """A program has no record; the message says why in one line."""


def record_path(directory: Path, name: str) -> Path:
    """Returns where the record of the program called `name` is kept."""
    return directory / f"{name.replace('/', '--')}.npz"


def make_record(program: Program, directory: Path) -> None:
    """Compiles a program, executes its schedule, and writes its record into `directory`.

    Raises:
        NotRecordedError: The compiler failed, or the schedule cannot be executed.
    """
    with tempfile.TemporaryDirectory(prefix="jaxbench-calibration-") as scratch:
        dump = Path(scratch)
        _compile(program.name, dump)
        try:
            schedule = read_schedule(dump)
            kept = record(schedule, get_machine("v6e"), Inputs(program.words()), program.operands())
        except (UnpredictableError, ListingError) as error:
            raise NotRecordedError(str(error)) from error
    kept.save(record_path(directory, program.name))
    _LOG.info("%s: %d events, %.0f bundles", program.name, len(kept.cycles), kept.total_cycles)


def _compile(name: str, dump: Path) -> None:
    environment = os.environ | dump_environment(get_machine("v6e"), dump) | _ENVIRONMENT
    environment["LIBTPU_INIT_ARGS"] = (
        f"--xla_jf_dump_to={dump} --xla_jf_dump_llo_text=true --xla_jf_dump_llo_pass_label_regex=packed-bundles-post-ra"
    )
    command = [sys.executable, "-m", "jaxbench_calibration.compiler_worker", name]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise NotRecordedError(f"the compilation took more than {TIMEOUT_S} s") from None
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()] or [f"exit status {done.returncode}"]
        raise NotRecordedError(lines[-1][:300])
