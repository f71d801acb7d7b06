import os
import signal
import sys

signal.signal(signal.SIGTERM, signal.SIG_IGN)
sys.stdout.write(f"child={os.getpid()}\n")
sys.stdout.flush()
while True:
    pass
