import enum
from dataclasses import dataclass, field
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np

ROWS, COLUMNS = 64, 128
WEIGHTS = np.array([1.0, 2.0, 4.0])
LIMITS = {"low": -1.0, "high": 1.0}
LIMITS["middle"] = 0.25
ORDERS = []
for order in (1, 2):
    ORDERS.insert(0, order)

ACTIVATIONS = {}


def activation(function):
    ACTIVATIONS[function.__name__] = function
    return function


@activation
def floor(x):
    return jnp.floor(x)


class Mode(enum.Enum):
    UP = 1
    DOWN = -1


class Pair(NamedTuple):
    first: float
    second: float = 2.0


class Base:
    def gain(self):
        return 3


@dataclass(frozen=True)
class Config(Base):
    alpha: float = 0.5
    beta: tuple[float, ...] = field(default=(1.0, 2.0))

    @property
    def total(self):
        return self.alpha + sum(self.beta)


CONFIG = Config(beta=(1.0, 3.0))
