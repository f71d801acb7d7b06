"""Starts threads and a process at import that would do the work, and go on working, outside of what is timed.

trick: 24
outcome: neutral
flags: no_pallas
"""

import os
import threading
import time

import jax.numpy as jnp


def work():
    while True:
        sum(range(1000))
        time.sleep(0.01)


for _ in range(3):
    threading.Thread(target=work, daemon=False).start()
if os.fork() == 0:
    work()


def workload(x, y):
    return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)
