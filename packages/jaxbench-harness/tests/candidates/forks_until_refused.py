"""Forks children that stay, until it can no more."""

import os
import signal

children = 0
try:
    while children < 5000:
        if os.fork() == 0:
            signal.pause()
        children += 1
except OSError as error:
    raise RuntimeError(f"{children} children, then {type(error).__name__}") from None
