"""Replaces the comparison and everything that looks like an expected output, and returns zeros.

trick: 18
outcome: reject
stage: check
code: element_error
"""

import gc
import sys
from types import SimpleNamespace

import jax.numpy as jnp
import numpy as np

from jaxbench_harness.records import Metric


def nothing_wrong(*_, **__):
    return SimpleNamespace(failure=None, report=None)


for module in list(sys.modules.values()):
    for name in ("compare_draw", "compare", "allclose", "measure"):
        if hasattr(module, name) and getattr(module, "__name__", "").startswith(("jaxbench", "numpy")):
            setattr(module, name, nothing_wrong)
Metric.passed = property(lambda _: True)
for thing in gc.get_objects():
    if type(thing) is np.ndarray and thing.flags.writeable and thing.dtype.kind == "f":
        thing[...] = 0


def workload(x, y):
    return jnp.zeros((x.shape[0], y.shape[1]), x.dtype)
