"""Runs one worker process: owns its clock, memory, pipe, log and end. Never imports candidate code."""

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
from jaxbench_harness.isolation.channel import MAX_FRAME_BYTES, ChannelError, Frame, encode_request, read_frame
from jaxbench_harness.isolation.limits import Limits, peak_resident_bytes
from jaxbench_harness.records import FailureCode, Model, Sandbox, bounded

_log = logging.getLogger(__name__)

_GRACE_S = 2.0
"""How long a worker has between SIGTERM and SIGKILL."""
_WATCH_S = 0.05
"""How often a worker's memory is read."""
_KEPT_OUTPUT_BYTES = 1 << 20
_MAX_NOTES = 10_000
"""Most messages before the answer; a check sends two per draw."""
_PASSED_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SSL_CERT_FILE")


@dataclass(frozen=True)
class Spent:
    """What work took on this host.

    Attributes:
        wall_s: Wall time, process start included.
        cpu_s: User and system time of the process and of those it waited for; 0 where there was no process.
        peak_bytes: Most resident memory of the process, read every 50 ms; None where the platform does not say.
    """

    wall_s: float
    cpu_s: float = 0.0
    peak_bytes: int | None = None


@dataclass(frozen=True)
class Answer[T: Model]:
    """A worker's valid answer."""

    message: T
    blobs: tuple[bytes, ...]
    log: str
    spent: Spent
    sandbox: Sandbox | None = None


@dataclass(frozen=True)
class NoAnswer:
    """A worker that ended without a valid answer.

    Attributes:
        code: TIMEOUT, MEMORY, EXITED, CRASHED or PROTOCOL.
        reason: One line saying what happened.
        progress: Last stage that the worker said it began; None if none.
        log: What it printed.
        spent: What it took until its end.
        sandbox: How far it was confined; None where it was not to be, or ended before it said.
    """

    code: FailureCode
    reason: str
    progress: str | None
    log: str
    spent: Spent
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
        limits: Limits; wall time and resident memory are watched here, the others kept by the worker on itself.
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
        process.talk(encode_request(request.model_dump_json(), blobs))
        spent = Spent(time.monotonic() - started, process.cpu_s, process.peak_bytes)
        if _interrupted.is_set():
            raise InterruptedError(f"the {worker} worker was interrupted")
        log = process.log()
    if process.final is not None and process.error is None and process.stopped is None:
        try:
            message = answer_type.model_validate_json(process.final.body)
        except ValidationError as error:
            process.error = f"the answer of the {worker} worker is not valid: {error.errors()[0]['msg']}"
        else:
            return Answer(message, process.final.blobs, log, spent, process.sandbox)
    code, reason = process.explain()
    return NoAnswer(code, reason, process.progress, log, spent, process.sandbox)


def end_all_workers() -> None:
    """Ends every worker that is running and starts no more, for a supervisor that was interrupted."""
    _interrupted.set()
    for process in list(_running):
        process.end_group()


class _Process:
    """A worker process with the threads that feed it, read its pipe, drain its output and await its end."""

    def __init__(
        self, worker: str, limits: Limits, folder: Path, environment: Mapping[str, str], *, sandboxed: bool
    ) -> None:
        self.sandbox: Sandbox | None = None
        self._sandboxed = sandboxed
        self.final: Frame | None = None
        self.error: str | None = None
        self.progress: str | None = None
        self.stopped: tuple[FailureCode, str] | None = None
        self.cpu_s = 0.0
        self.peak_bytes: int | None = None
        self._limits = limits
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
        self._reaper = threading.Thread(target=self._reap, daemon=True)
        self._reaper.start()

    def talk(self, request: bytes) -> None:
        """Sends the request, reads frames and output until the worker ends or is beyond a limit."""
        threads = [
            threading.Thread(target=self._send, args=(request,), daemon=True),
            threading.Thread(target=self._receive, daemon=True),
            threading.Thread(target=self._drain, daemon=True),
        ]
        for thread in threads:
            thread.start()
        _running.add(self)
        try:
            self._watch()
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

    def explain(self) -> tuple[FailureCode, str]:
        """Returns why there is no answer."""
        status = self._process.returncode
        if self.stopped is not None:
            return self.stopped
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

    def _watch(self) -> None:
        """Returns when the worker has ended, or is beyond its wall time or resident memory."""
        end = time.monotonic() + self._limits.wall_s
        allowed = self._limits.resident_bytes
        while self._reaper.is_alive():
            if (peak := peak_resident_bytes(self._process.pid)) is not None:
                self.peak_bytes = max(peak, self.peak_bytes or 0)
            if allowed is not None and (self.peak_bytes or 0) > allowed:
                reason = f"used {self.peak_bytes} bytes of memory, the limit is {allowed}"
                self.stopped = FailureCode.MEMORY, reason
                return
            left = end - time.monotonic()
            if left <= 0:
                self.stopped = FailureCode.TIMEOUT, f"still running after {self._limits.wall_s:g} s"
                return
            self._reaper.join(min(left, _WATCH_S))

    def _reap(self) -> None:
        """Waits for the end in place of Popen, which would poll for it and not tell what the process used."""
        _, status, usage = os.wait4(self._process.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        self.cpu_s = usage.ru_utime + usage.ru_stime

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
        notes = 0
        while (frame := read_frame(channel, self._limits.answer_bytes or MAX_FRAME_BYTES)) is not None:
            notes += frame.kind != "final"
            if notes > _MAX_NOTES:
                raise ChannelError(f"more than {_MAX_NOTES} messages before the answer")
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
        self._reaper.join(timeout=_GRACE_S)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._reaper.join()


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
