"""Arrays as bytes: what travels between the check worker and the TPU interpreter's process."""

import math
from typing import Any

import jax.numpy as jnp
import numpy as np

from jaxbench_harness.check.messages import ArrayHeader

Array = np.ndarray[Any, np.dtype[Any]]


def pack(array: Any) -> tuple[ArrayHeader, bytes]:
    """Returns header and bytes of a NumPy or JAX array."""
    host = np.ascontiguousarray(array)
    return ArrayHeader(shape=tuple(np.shape(array)), dtype=host.dtype.name), host.tobytes()


def unpack(header: ArrayHeader, content: bytes) -> Array:
    """Returns the array that `pack` took apart.

    Raises:
        ValueError: If the dtype is unknown or the bytes are not as many as shape and dtype say.
    """
    try:
        dtype = jnp.dtype(header.dtype)
    except TypeError as error:
        raise ValueError(f"unknown dtype {header.dtype!r}") from error
    expected = math.prod(header.shape) * dtype.itemsize
    if len(content) != expected or dtype.hasobject:
        raise ValueError(f"{header.dtype}{list(header.shape)} has {expected} bytes, got {len(content)}")
    return np.frombuffer(content, dtype).reshape(header.shape)
