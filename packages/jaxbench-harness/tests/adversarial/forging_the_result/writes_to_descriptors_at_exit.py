"""Registers handlers that write to every descriptor when the process ends, by exit, destructor, thread and signal.

trick: 37
outcome: neutral
flags: no_pallas
"""

import atexit
import os
import signal
import threading
import weakref

import jax.numpy as jnp


def write(*_):
    for number in range(3, 64):
        try:
            os.write(number, b"JXB1garbage")
        except OSError:
            continue


class Writer:
    __del__ = write


atexit.register(write)
threading._register_atexit(write)
weakref.finalize(write, write)
kept = Writer()
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGUSR1):
    signal.signal(number, write)


def workload(x, y):
    return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)
