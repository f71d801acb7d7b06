"""Sends a pickle that would run a command in whoever loads it.

outcome: reject
stage: load
code: protocol
says: frame starts with
"""

import os
import pickle


class Bomb:
    def __reduce__(self):
        return os.system, ("touch /tmp/jaxbench-pickle-was-loaded",)


for number in range(3, 64):
    try:
        os.write(number, pickle.dumps(Bomb()))
    except OSError:
        continue
os._exit(0)
