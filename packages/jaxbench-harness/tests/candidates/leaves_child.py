"""Forks a child that ignores SIGTERM and would stay, then goes on."""

import os
import signal
import sys
import time

child = os.fork()
if child == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(60)
sys.stdout.write(f"child={child}\n")
sys.stdout.flush()
raise RuntimeError("left a child")
