"""A reference evaluated equation by equation, so that any equation can be replaced by a wrong or another honest one."""

# JAX annotates its own jaxprs only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

import jax
from jax.extend.core import Jaxpr, JaxprEqn, Literal, Var

Values = list[jax.Array]
Replacement = Callable[[JaxprEqn, Values], Values]
"""What stands for an equation: takes the equation and its operands, returns its results."""

_INLINED = frozenset({"jit", "closed_call", "remat", "custom_jvp_call", "custom_vjp_call"})


def inlined(jaxpr: Jaxpr) -> Jaxpr:
    """Returns an equal jaxpr without calls; loops and branches keep their bodies."""
    return _traced(functools.partial(_evaluate, jaxpr), jaxpr)


def bodies(equation: JaxprEqn) -> Iterator[tuple[str, int | None, Jaxpr]]:
    """Yields parameter name, position in it (None where it is no tuple) and jaxpr of each body of an equation."""
    for name, value in equation.params.items():
        if isinstance(value, Jaxpr):
            yield name, None, value
        elif isinstance(value, tuple):
            for position, item in enumerate(cast("tuple[Any, ...]", value)):
                if isinstance(item, Jaxpr):
                    yield name, position, item


def in_body(name: str, position: int | None, replaced: Mapping[int, Replacement]) -> Replacement:
    """Returns the replacement of a loop or branch in whose body (as `bodies` names it) equations are replaced.

    Args:
        name: Parameter of the equation.
        position: Position in the parameter, None where it is no tuple.
        replaced: Replacements by index of the equation in the inlined body.
    """

    @functools.cache  # so that JAX compiles it once
    def changed(equation: JaxprEqn) -> JaxprEqn:
        parameter = equation.params[name]
        body = inlined(parameter if position is None else parameter[position])
        other = _traced(lambda *operands: Evaluation(body, operands).again(replaced), body)
        value = other if position is None else (*parameter[:position], other, *parameter[position + 1 :])
        return equation.replace(params=equation.params | {name: value})

    return lambda equation, values: bind(changed(equation), values)


def bind(equation: JaxprEqn, values: Sequence[jax.Array]) -> Values:
    """Evaluates one equation."""
    result = cast("Any", equation.primitive.bind(*values, **equation.params))
    return list(result) if equation.primitive.multiple_results else [result]


class Evaluation:
    """An inlined jaxpr evaluated once, every value kept, so that a variant evaluates only what differs."""

    def __init__(self, jaxpr: Jaxpr, operands: Sequence[jax.Array]) -> None:
        """Evaluates `jaxpr` on its operands, one per invar."""
        self._jaxpr = jaxpr
        self._values: dict[Var, jax.Array] = dict(zip(jaxpr.constvars, jaxpr.consts, strict=True))
        self._values |= zip(jaxpr.invars, operands, strict=True)
        for equation in jaxpr.eqns:
            self._values |= zip(equation.outvars, bind(equation, self._read(equation, {})), strict=True)

    def again(
        self, replaced: Mapping[int, Replacement] | None = None, operands: Mapping[int, jax.Array] | None = None
    ) -> Values:
        """Evaluates a variant.

        Args:
            replaced: Replacements by index of the equation.
            operands: Other operands by position.

        Returns:
            The results, in order.
        """
        replaced = replaced or {}
        changed = {self._jaxpr.invars[position]: value for position, value in (operands or {}).items()}
        for index, equation in enumerate(self._jaxpr.eqns):
            if index not in replaced and not any(isinstance(v, Var) and v in changed for v in equation.invars):
                continue
            values = self._read(equation, changed)
            results = replaced[index](equation, values) if index in replaced else bind(equation, values)
            changed |= zip(equation.outvars, results, strict=True)
        return [self._value(atom, changed) for atom in self._jaxpr.outvars]

    def _read(self, equation: JaxprEqn, changed: Mapping[Var, jax.Array]) -> Values:
        return [self._value(atom, changed) for atom in equation.invars]

    def _value(self, atom: Any, changed: Mapping[Var, jax.Array]) -> jax.Array:
        if isinstance(atom, Literal):
            return atom.val
        return changed[atom] if atom in changed else self._values[atom]


def aval(atom: Any) -> Any:
    """Returns shape and dtype of a variable or literal; JAX types them as abstract values without either."""
    return atom.aval


def input_dependent(jaxpr: Jaxpr) -> set[Var]:
    """Returns the variables that depend on an operand of an inlined jaxpr."""
    found = set(jaxpr.invars)
    for equation in jaxpr.eqns:
        if any(isinstance(atom, Var) and atom in found for atom in equation.invars):
            found |= set(equation.outvars)
    return found


def _evaluate(jaxpr: Jaxpr, *operands: jax.Array) -> Values:
    """Evaluates a jaxpr and, equation by equation, the jaxprs that it calls."""
    values: dict[Var, Any] = dict(zip(jaxpr.constvars, jaxpr.consts, strict=True))
    values |= zip(jaxpr.invars, operands, strict=True)

    def read(atom: Any) -> Any:
        return atom.val if isinstance(atom, Literal) else values[atom]

    for equation in jaxpr.eqns:
        arguments = [read(atom) for atom in equation.invars]
        called = [body for _, _, body in bodies(equation)] if equation.primitive.name in _INLINED else []
        results = _evaluate(called[0], *arguments) if called else bind(equation, arguments)
        values |= zip(equation.outvars, results, strict=True)
    return [read(atom) for atom in jaxpr.outvars]


def _traced(function: Callable[..., Values], jaxpr: Jaxpr) -> Jaxpr:
    specs = (jax.ShapeDtypeStruct(aval(operand).shape, aval(operand).dtype) for operand in jaxpr.invars)
    return jax.make_jaxpr(function)(*specs)
