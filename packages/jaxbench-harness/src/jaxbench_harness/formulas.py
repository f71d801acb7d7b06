"""Arithmetic formulas over the named dims of a workload, such as `2*M*K*N` or `1/sqrt(K)`.

Formulas are data: they are shown by `jaxbench show`, are part of a workload's digest, and are evaluated by
simpleeval, which knows arithmetic and the functions below and nothing else.
"""

import math
from collections.abc import Mapping
from typing import cast

import simpleeval

Number = int | float
Dims = Mapping[str, Number]
Formula = str | int | float

_FUNCTIONS = {"sqrt": math.sqrt, "log2": math.log2, "ceil": math.ceil, "min": min, "max": max}


class FormulaError(ValueError):
    """A formula that cannot be evaluated over the dims given."""


def evaluate(formula: Formula, dims: Dims) -> Number:
    """Evaluates a formula.

    Args:
        formula: A number, or arithmetic over the names in `dims` with `sqrt`, `log2`, `ceil`, `min`, `max`.
        dims: Values of the names.

    Returns:
        The value; an int where the arithmetic stays in integers.

    Raises:
        FormulaError: If the formula uses an unknown name or function, is no arithmetic, or is not a real number.
    """
    value = _arithmetic(formula, dims) if isinstance(formula, str) else formula
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < math.inf:
        raise FormulaError(f"{formula!r} is {value!r}, not a finite number")
    return value


def _arithmetic(formula: str, dims: Dims) -> object:
    try:
        return cast("object", simpleeval.simple_eval(formula, names=dict(dims), functions=_FUNCTIONS))
    except (
        simpleeval.InvalidExpression,
        SyntaxError,
        ArithmeticError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:
        known = ", ".join(dims) or "none"
        raise FormulaError(f"cannot evaluate {formula!r} over the dims {known}: {error}") from error


def evaluate_int(formula: Formula, dims: Dims) -> int:
    """Evaluates a formula that must be a whole number of at least 0.

    Raises:
        FormulaError: As `evaluate`, and if the value is fractional or negative.
    """
    value = evaluate(formula, dims)
    if value != int(value) or value < 0:
        raise FormulaError(f"{formula!r} is {value!r}; expected a whole number of at least 0")
    return int(value)
