"""Sleeps without end in exit handlers, destructors and a thread that is waited for.

outcome: neutral
flags: no_pallas
"""

import atexit
import threading

import jax.numpy as jnp


def sleep(*_):
    threading.Event().wait()


class Sleeper:
    __del__ = sleep


kept = Sleeper()
kept.itself = kept
atexit.register(sleep)
threading.Thread(target=sleep, daemon=False).start()


def workload(x, y):
    return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)
