"""Functions that several families use."""

import math

import numpy as np


def sigmoid(x):
    """1 / (1 + e^-x), written so that no power overflows."""
    return np.exp(-np.logaddexp(0, -x))


def swish(x):
    return x * sigmoid(x)


def mish(x):
    return x * np.tanh(np.logaddexp(0, x))


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def softmax_of_row(row):
    powers = np.exp(row - row.max())
    return powers / powers.sum()


def logsumexp_of_row(row):
    return row.max() + math.log(np.exp(row - row.max()).sum())


def standardize(values, eps):
    """Subtracts the mean of all the values and divides by the root of their population variance plus `eps`."""
    centred = values - values.sum() / values.size
    return centred / math.sqrt((centred**2).sum() / values.size + eps)
