"""Leaves a process of another session, without a parent and with another environment; MARK is put in by the test."""

import os
import signal
import sys

signal.signal(signal.SIGTERM, signal.SIG_IGN)
started, start = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execve(sys.executable, ["python", "-ISc", "import signal\nwhile True: signal.pause()", MARK], {})  # noqa: F821
    os._exit(0)
os.close(start)
os.read(started, 1)  # returns when the daemon runs its own program
raise RuntimeError("left a daemon")
