"""Counts the FLOPs of a function's contractions from its jaxpr: two per multiply-add, by the shapes of the operands."""

import math
from fractions import Fraction

import jax
from jax.extend import core

from jaxbench_harness.workload import ArraySpec


def trace(workload, size):
    """Returns the jaxpr of the reference at `size`, as a function of the array inputs."""
    arguments = workload.arguments(size)
    shapes = [jax.ShapeDtypeStruct(spec.shape, spec.dtype) for spec in arguments if isinstance(spec, ArraySpec)]
    reference = workload.bound_reference(size)

    def on_arrays(*arrays):
        rest = iter(arrays)
        return reference(*(next(rest) if isinstance(spec, ArraySpec) else spec for spec in arguments))

    return jax.make_jaxpr(on_arrays)(*shapes).jaxpr


def contraction_flops(jaxpr, while_trips=None):
    """Returns the FLOPs of all contractions in `jaxpr`.

    Args:
        jaxpr: What to count in.
        while_trips: How often a `while` loop runs, on average; without it there may be none that contracts.
    """
    return 2 * _multiply_adds(jaxpr, while_trips)


def _multiply_adds(jaxpr, while_trips):
    return sum(_multiply_adds_of(equation, while_trips) for equation in jaxpr.eqns)


def _multiply_adds_of(equation, while_trips):
    name, parameters = equation.primitive.name, equation.params
    if name in _CONTRACTIONS:
        (out,) = equation.outvars
        return math.prod(out.aval.shape) * _CONTRACTIONS[name](
            *(operand.aval for operand in equation.invars), **parameters
        )
    inner = sum(_multiply_adds(jaxpr, while_trips) for jaxpr in _jaxprs(parameters.values()))
    match name:
        case "scan":
            return inner * parameters["length"]
        case "while" if inner:
            assert while_trips is not None, "a while loop that contracts"
            return inner * Fraction(while_trips)
        case "cond":
            assert not inner, "a branch that contracts"
    return inner


def _of_dot(lhs, _rhs, *, dimension_numbers, **_parameters):
    (contracting, _), _ = dimension_numbers
    return math.prod(lhs.shape[axis] for axis in contracting)


def _of_convolution(_lhs, rhs, *, dimension_numbers, **_parameters):
    return math.prod(rhs.shape) // rhs.shape[dimension_numbers.rhs_spec[0]]


def _of_ragged_dot(lhs, _rhs, _group_sizes, *, ragged_dot_dimension_numbers, **_parameters):
    (contracting, _), _ = ragged_dot_dimension_numbers.dot_dimension_numbers
    return math.prod(lhs.shape[axis] for axis in contracting)


_CONTRACTIONS = {
    "dot_general": _of_dot,
    "conv_general_dilated": _of_convolution,
    "ragged_dot_general": _of_ragged_dot,
}
"""By primitive: the terms of the sum behind each output element."""


def _jaxprs(values):
    for value in values:
        if isinstance(value, core.ClosedJaxpr):
            yield value.jaxpr
        elif isinstance(value, core.Jaxpr):
            yield value
        elif isinstance(value, tuple | list):
            yield from _jaxprs(value)
