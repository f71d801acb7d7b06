"""Runs one worker process: owns its clock, its pipe, its log and its end. Never imports candidate code."""

import contextlib
import logging
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pydantic import ValidationError

from jaxbench_harness.isolation.bytecode import keep_bytecode
from jaxbench_harness.isolation.channel import ChannelError, Frame, encode_request, read_frame
from jaxbench_harness.isolation.limits import Limits
from jaxbench_harness.records import FailureCode, Model, Sandbox, bounded

_log = logging.getLogger(__name__)

_GRACE_S = 2.0
"""How long a worker has between SIGTERM and SIGKILL."""
_KEPT_OUTPUT_BYTES = 1 << 20
_PASSED_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SSL_CERT_FILE")


@dataclass(frozen=True)
class Answer[T: Model]:
    """A worker's valid answer."""

    message: T
    blobs: tuple[bytes, ...]
    log: str
    wall_s: float
    sandbox: Sandbox | None = None


@dataclass(frozen=True)
class NoAnswer:
    """A worker that ended without a valid answer.

    Attributes:
        code: TIMEOUT, EXITED, CRASHED or PROTOCOL.
        reason: One line saying what happened.
        progress: Last stage that the worker said it began; None if none.
        log: What it printed.
        wall_s: Wall time until its end.
        sandbox: How far it was confined; None where it was not to be, or ended before it said.
    """

    code: FailureCode
    reason: str
    progress: str | None
    log: str
    wall_s: float
    sandbox: Sandbox | None = None


def run_worker[T: Model](
    worker: str,
    request: Model,
    answer_type: type[T],
    *,
    limits: Limits,
    blobs: Sequence[bytes] = (),
    environment: Mapping[str, str] | None = None,
    sandboxed: bool = False,
) -> Answer[T] | NoAnswer:
    """Runs `python -m jaxbench_harness.workers.<worker>` in a fresh session and an empty folder of its own.

    Args:
        worker: Module name under `jaxbench_harness.workers`.
        request: Sent on the worker's standard input with `blobs`.
        answer_type: Model that the worker's final message must satisfy.
        limits: Limits; the wall limit is kept here, the others by the worker on itself.
        blobs: Bytes that go with the request.
        environment: Variables added to the scrubbed environment.
        sandboxed: Whether it is confined as far as this machine allows, because it runs candidate code.

    Returns:
        The answer, or how the worker ended without one.

    Raises:
        InterruptedError: After `end_all_workers`.
    """
    if sandboxed:
        keep_bytecode()
    with tempfile.TemporaryDirectory(prefix="jaxbench-", ignore_cleanup_errors=True) as folder:
        process = _Process(worker, limits, Path(folder), environment or {}, sandboxed=sandboxed)
        started = time.monotonic()
        timed_out = process.talk(encode_request(request.model_dump_json(), blobs), limits.wall_s)
        wall_s = time.monotonic() - started
        if _interrupted.is_set():
            raise InterruptedError(f"the {worker} worker was interrupted")
        log = process.log()
    if process.final is not None and process.error is None and not timed_out:
        try:
            message = answer_type.model_validate_json(process.final.body)
        except ValidationError as error:
            process.error = f"the answer of the {worker} worker is not valid: {error.errors()[0]['msg']}"
        else:
            return Answer(message, process.final.blobs, log, wall_s, process.sandbox)
    code, reason = process.explain(timed_out, limits.wall_s)
    return NoAnswer(code, reason, process.progress, log, wall_s, process.sandbox)


def end_all_workers() -> None:
    """Ends every worker that is running and starts no more, for a supervisor that was interrupted."""
    _interrupted.set()
    for process in list(_running):
        process.end_group()


class _Process:
    """A worker process with the threads that feed it, read its pipe and drain its output."""

    def __init__(
        self, worker: str, limits: Limits, folder: Path, environment: Mapping[str, str], *, sandboxed: bool
    ) -> None:
        self.sandbox: Sandbox | None = None
        self._sandboxed = sandboxed
        self.final: Frame | None = None
        self.error: str | None = None
        self.progress: str | None = None
        self._output = bytearray()
        self._printed = 0
        read_end, write_end = os.pipe()
        try:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-I",
                    "-m",
                    *_module(worker, sandboxed=sandboxed),
                    str(write_end),
                    str(os.getpid()),
                    limits.model_dump_json(),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env=_scrubbed(folder, environment),
                pass_fds=[write_end],
                start_new_session=True,
            )
        finally:
            os.close(write_end)
        self._channel = os.fdopen(read_end, "rb")

    def talk(self, request: bytes, wall_s: float) -> bool:
        """Sends the request, reads frames and output until the worker ends; returns whether it ran out of time."""
        threads = [
            threading.Thread(target=self._send, args=(request,), daemon=True),
            threading.Thread(target=self._receive, daemon=True),
            threading.Thread(target=self._drain, daemon=True),
        ]
        for thread in threads:
            thread.start()
        timed_out = False
        _running.add(self)
        try:
            self._process.wait(timeout=wall_s)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            _running.discard(self)
            self.end_group()
        for thread in threads:
            thread.join(timeout=_GRACE_S)
        # A thread is left behind only where a process outside the group holds the other end of its pipe.
        for thread, stream in zip(threads, (self._process.stdin, self._channel, self._process.stdout), strict=True):
            if stream is not None and not thread.is_alive():
                with contextlib.suppress(OSError):
                    stream.close()
        return timed_out

    def explain(self, timed_out: bool, wall_s: float) -> tuple[FailureCode, str]:
        """Returns why there is no answer."""
        status = self._process.returncode
        if timed_out:
            return FailureCode.TIMEOUT, f"still running after {wall_s:g} s"
        if self.error is not None:
            return FailureCode.PROTOCOL, self.error
        if status is not None and status < 0:
            return FailureCode.CRASHED, f"ended by signal {_signal_name(-status)}"
        return FailureCode.EXITED, f"the process exited with status {status} before it answered"

    def log(self) -> str:
        """Returns what the worker printed, bounded."""
        text = self._output.decode(errors="replace").replace("\0", "\\0")
        dropped = self._printed - len(self._output)
        return bounded(text + (f"\n[... {dropped} more bytes were printed ...]" if dropped else ""))

    def _send(self, request: bytes) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(request)
            self._process.stdin.close()
        except OSError:
            _log.debug("worker closed its standard input early")

    def _receive(self) -> None:
        try:
            self._read_frames(self._channel)
        except (ChannelError, OSError, ValueError) as error:
            self.error = str(error)
            # Whatever the worker still writes fails at once, instead of blocking until its time is up.
            self._channel.close()

    def _read_frames(self, channel: BinaryIO) -> None:
        while (frame := read_frame(channel)) is not None:
            if self.final is not None:
                raise ChannelError(f"a {frame.kind} message after the final one")
            if (frame.kind == "sandbox") != (self._sandboxed and self.sandbox is None):
                raise ChannelError(f"a {frame.kind} message out of order")
            if frame.kind == "sandbox":
                self.sandbox = Sandbox.model_validate_json(frame.body)
            elif frame.kind == "final":
                self.final = frame
            else:
                self.progress = frame.body

    def _drain(self) -> None:
        assert self._process.stdout is not None
        output = self._process.stdout.fileno()
        while chunk := os.read(output, 65536):
            self._printed += len(chunk)
            self._output += chunk[: max(0, _KEPT_OUTPUT_BYTES - len(self._output))]

    def end_group(self) -> None:
        """Ends whatever is left of the worker's process group: terminate, wait, kill."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=_GRACE_S)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


def _module(worker: str, *, sandboxed: bool) -> list[str]:
    package = "jaxbench_harness.workers"
    return [f"{package}.confined", worker] if sandboxed else [f"{package}.{worker}"]


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # most real-time signals have no name
        return str(number)


_running: set[_Process] = set()
_interrupted = threading.Event()


def _scrubbed(folder: Path, added: Mapping[str, str]) -> dict[str, str]:
    kept = {name: os.environ[name] for name in _PASSED_ENVIRONMENT if name in os.environ}
    return (
        kept
        | {
            "HOME": str(folder),
            "TMPDIR": str(folder),
            "JAX_PLATFORMS": "cpu",
            # Tracebacks are cut to the candidate's own frames by us, without JAX's remarks on its own filter.
            "JAX_TRACEBACK_FILTERING": "off",
            "TF_CPP_MIN_LOG_LEVEL": "2",
        }
        | dict(added)
    )
