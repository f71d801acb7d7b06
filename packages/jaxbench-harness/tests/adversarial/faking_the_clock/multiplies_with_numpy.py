"""Multiplies with NumPy in Python.

trick: 25
outcome: reject
stage: trace
code: raised
says: TracerArrayConversionError
"""

import numpy as np


def workload(x, y):
    return np.asarray(x, np.float32) @ np.asarray(y, np.float32)
