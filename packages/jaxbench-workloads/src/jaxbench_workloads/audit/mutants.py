"""Mutants of a reference: one equation replaced by the mistake that a kernel author would make there."""

# JAX annotates its own jaxprs only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import collections
from collections.abc import Iterator
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax.extend.core import Jaxpr, JaxprEqn, Var

from jaxbench_workloads.audit import contractions
from jaxbench_workloads.audit.equations import (
    Replacement,
    Values,
    aval,
    bind,
    bodies,
    in_body,
    inlined,
    input_dependent,
)

_KEPT = frozenset({"broadcast_in_dim", "convert_element_type", "copy", "reshape", "squeeze", "stop_gradient"})
"""Operations whose absence is no mistake of its own, or none at all."""

_COMPARISONS = frozenset({"ge", "gt", "le", "lt"})
_NEUTRAL = {"reduce_sum": 0.0, "reduce_max": -jnp.inf, "reduce_min": jnp.inf}

_CONTRACTION_MUTANTS: dict[str, Replacement] = {
    "last tile of {} dropped": contractions.without_last_tile,
    "operands of {} in int8": contractions.with_operands(contractions.to_int8),
    "operands of {} in float8": contractions.with_operands(contractions.to_float8),
    "{} accumulated in bfloat16": contractions.accumulated_in(jnp.bfloat16),
    "{} accumulated in float16": contractions.accumulated_in(jnp.float16),
}


class Mutant(NamedTuple):
    """A reference with one equation replaced."""

    name: str
    """What is wrong, with primitive and position among its kind, such as `mul 2 skipped`."""
    equation: int
    """Index of the equation in the inlined jaxpr."""
    replacement: Replacement


def mutants(jaxpr: Jaxpr) -> Iterator[Mutant]:
    """Yields the mutants of an inlined jaxpr, those of the bodies of its loops and branches included."""
    dependent = input_dependent(jaxpr)
    seen: collections.Counter[str] = collections.Counter()
    for index, equation in enumerate(jaxpr.eqns):
        kind = equation.primitive.name
        seen[kind] += 1
        subject = f"{kind} {seen[kind]}"
        for name, replacement in _of_equation(subject, equation, dependent):
            yield Mutant(name, index, replacement)
        for parameter, position, body in bodies(equation):
            for inner in mutants(inlined(body)):
                replacement = in_body(parameter, position, {inner.equation: inner.replacement})
                yield Mutant(f"{inner.name} in {subject}", index, replacement)


def _of_equation(subject: str, equation: JaxprEqn, dependent: set[Var]) -> Iterator[tuple[str, Replacement]]:
    kind = equation.primitive.name
    if kind in contractions.NAMES:
        for pattern, replacement in _CONTRACTION_MUTANTS.items():
            yield pattern.format(subject), replacement
    elif kind in _COMPARISONS and all(jnp.issubdtype(aval(atom).dtype, jnp.integer) for atom in equation.invars):
        yield f"{subject} off by one, up", _compared_with_shift(1)
        yield f"{subject} off by one, down", _compared_with_shift(-1)
    elif kind in _NEUTRAL:
        yield f"last tile of {subject} dropped", _without_last_tile
    elif kind not in _KEPT and not any(True for _ in bodies(equation)):
        yield from _skipped(subject, equation, dependent)


def _skipped(subject: str, equation: JaxprEqn, dependent: set[Var]) -> Iterator[tuple[str, Replacement]]:
    """Yields the operation left out: its result replaced by each operand that could pass for it."""
    result = aval(equation.outvars[0])
    if len(equation.outvars) != 1 or not jnp.issubdtype(result.dtype, jnp.floating):
        return
    alike = [
        position
        for position, atom in enumerate(equation.invars)
        if isinstance(atom, Var)
        and atom in dependent
        and (aval(atom).shape, aval(atom).dtype) == (result.shape, result.dtype)
    ]
    for position in alike:
        which = f", operand {position + 1} kept" if len(alike) > 1 else ""
        yield f"{subject} skipped{which}", _keeping(position)


def _keeping(position: int) -> Replacement:
    return lambda _equation, values: [values[position]]


def _compared_with_shift(shift: int) -> Replacement:
    return lambda equation, values: bind(equation, [values[0], values[1] + shift])


def _without_last_tile(equation: JaxprEqn, values: Values) -> Values:
    """Leaves out the last eighth of the longest reduced axis, at least one element."""
    (operand,) = values
    axes: tuple[int, ...] = equation.params["axes"]
    axis = max(axes, key=lambda candidate: operand.shape[candidate])
    kept = operand.shape[axis] - max(1, operand.shape[axis] // 8)
    position = jax.lax.broadcasted_iota(jnp.int32, operand.shape, axis)
    neutral = jnp.asarray(_NEUTRAL[equation.primitive.name]).astype(operand.dtype)
    return bind(equation, [jnp.where(position < kept, operand, neutral)])
