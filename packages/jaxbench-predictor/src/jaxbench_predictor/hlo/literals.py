"""Literals of constants."""

import re

import numpy as np

from jaxbench_predictor.hlo.shapes import Array, Shape, UnevaluableError

_NUMBER = re.compile(r"-?(?:\d[\w.+\-]*|inf|nan)|true|false")


def parse_literal(text: str, shape: Shape) -> Array:
    """Returns the array of a literal such as `{ { 1, 0 }, { 2, 1 } }`.

    Raises:
        UnevaluableError: The compiler has left it out, or its type is not evaluated.
    """
    if "..." in text:
        raise UnevaluableError("a constant that the compiler does not print")
    shape.check_size()
    dtype = shape.numpy_dtype
    words = _NUMBER.findall(text)
    if len(words) != int(np.prod(shape.dims)):
        raise UnevaluableError("a constant of another length than its shape")
    if dtype == np.bool_:
        # Arrays are printed with digits, single values with words.
        return np.array([word in {"true", "1"} for word in words]).reshape(shape.dims)
    numbers = [float(word) if dtype.kind == "f" else int(word) for word in words]
    return np.array(numbers).astype(dtype).reshape(shape.dims)
