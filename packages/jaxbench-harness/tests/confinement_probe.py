"""Oversees work that leaves a daemon and ends with status 7, where the kernel refuses the step that is named."""

import os
import signal
import sys

from jaxbench_harness.isolation import confinement


def refuse(*_):
    raise PermissionError(1, "not here")


def say(line):
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def work(sandbox):
    started, start = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.write(start, str(os.getpid()).encode())
            os.closerange(0, 100)
            while True:
                signal.pause()
        os._exit(0)
    say(f"daemon {os.read(started, 20).decode()}")
    os._exit(7)


def announce(sandbox):
    say(sandbox.model_dump_json())


if sys.argv[1] == "unshare":
    os.unshare = refuse
elif sys.argv[1] == "view":
    confinement.enter_view = refuse
elif sys.argv[1] == "kernel":
    confinement.platform.release = lambda: "5.10.0-35-amd64"
confinement.oversee(work, announce)
