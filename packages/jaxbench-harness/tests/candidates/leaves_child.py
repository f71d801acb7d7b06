"""Forks a child that ignores SIGTERM and would stay, then goes on."""

import os
import signal
import sys
import time
from pathlib import Path

if os.fork() == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(60)
sys.stdout.write(f"home={Path.home()}\n")
sys.stdout.flush()
raise RuntimeError("left a child")
