"""Compiles a Program in a process of its own, for the schedules that libtpu prints. Imports no JAX."""

import logging
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from jaxbench_predictor.dumps.environment import dump_environment
from jaxbench_predictor.dumps.reading import read_schedule
from jaxbench_predictor.listing.schedule import Schedule
from jaxbench_predictor.machines import Machine

_LOG = logging.getLogger(__name__)
_TAIL = 4000
"""Characters of the compiler's output that are kept."""


@dataclass(frozen=True)
class Limits:
    """What a compilation may use.

    Attributes:
        wall_s: Seconds.
        memory_bytes: Private memory of the process.
    """

    wall_s: float = 600.0
    memory_bytes: int = 16 * 2**30


class CompileError(Exception):
    """The Program was not compiled; the message is one line, `log` the end of what the compiler printed."""

    def __init__(self, message: str, log: str = "") -> None:
        super().__init__(message)
        self.log = log


def compile_schedule(program: bytes, machine: Machine, limits: Limits, *, sparse_core: bool = True) -> Schedule:
    """Compiles a Program and returns its schedule; the files that libtpu wrote are deleted.

    Args:
        program: What `jax.export` serialized, for the platform `tpu`.
        machine: What to compile for.
        limits: What the compilation may use.
        sparse_core: Whether the compiler may hand work to the SparseCore.

    Raises:
        CompileError: The compiler refused, crashed, or reached a limit.
        ListingError: What it printed has a form that is not known.
    """
    with tempfile.TemporaryDirectory(prefix="jaxbench-predictor-") as scratch:
        directory = Path(scratch)
        started = time.monotonic()
        compile_into(directory, program, machine, limits, sparse_core=sparse_core)
        compiled = time.monotonic()
        schedule = read_schedule(directory)
        _LOG.info("compiled in %.1f s, read in %.1f s", compiled - started, time.monotonic() - compiled)
        return schedule


def compile_into(
    directory: Path, program: bytes, machine: Machine, limits: Limits, *, sparse_core: bool = True
) -> None:
    """Compiles a Program; libtpu writes its schedules into `directory`, which should be empty.

    Raises:
        CompileError: The compiler refused, crashed, or reached a limit.
    """
    with tempfile.TemporaryDirectory(prefix="jaxbench-predictor-") as scratch:
        path = Path(scratch) / "program"
        path.write_bytes(program)
        environment = dump_environment(machine, directory, sparse_core=sparse_core)
        _run([str(path), machine.topology_name, str(limits.memory_bytes)], environment, directory, limits)


def _run(arguments: list[str], environment: Mapping[str, str], directory: Path, limits: Limits) -> None:
    command = [sys.executable, "-m", "jaxbench_predictor.dumps.worker", *arguments]
    process = subprocess.Popen(
        command,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        cwd=directory,
    )
    try:
        output, _ = process.communicate(timeout=limits.wall_s)
    except subprocess.TimeoutExpired:
        raise CompileError(f"the compilation took more than {limits.wall_s:g} s") from None
    finally:
        _kill(process)
    if process.returncode:
        log = output.decode(errors="replace")[-_TAIL:]
        raise CompileError(f"the compiler failed: {_last_line(log) or f'exit status {process.returncode}'}", log)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Ends the process and all that it started; it leads a process group of its own."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def _last_line(log: str) -> str:
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    return lines[-1][:400] if lines else ""
