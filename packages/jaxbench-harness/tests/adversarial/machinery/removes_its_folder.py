"""Removes its working folder and fills the table of modules with what is none.

outcome: reject
stage: trace
code: raised
says: FileNotFoundError
"""

import shutil
import sys
from pathlib import Path
from types import ModuleType

import jax.numpy as jnp


class Odd(ModuleType):
    @property
    def __file__(self):
        raise RuntimeError("no file")


sys.modules["odd"] = Odd("odd")
sys.modules["number"] = 3
sys.modules["nothing"] = None
named = ModuleType("named")
named.__file__ = "\0/\ud800"
sys.modules["named"] = named
shutil.rmtree(Path.cwd(), ignore_errors=True)


def workload(x, y):
    return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)
