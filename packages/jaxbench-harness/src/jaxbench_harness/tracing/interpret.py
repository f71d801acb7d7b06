"""Rewrites the Pallas kernels of a jaxpr to interpret mode, so that the same trace runs on a CPU."""

from collections.abc import Callable
from typing import Any

from jax.extend.core import Jaxpr, JaxprEqn

_KERNEL_CALLS = frozenset({"pallas_call", "core_map"})


def map_equations(jaxpr: Jaxpr, change: Callable[[JaxprEqn], JaxprEqn]) -> Jaxpr:
    """Applies `change` to every equation, also in the bodies of jit, scan, cond, while and custom derivatives.

    `change` sees an equation after its inner jaxprs were mapped; bodies of Pallas kernels are left as they are.
    """

    def on_value(value: Any) -> Any:
        if isinstance(value, Jaxpr):
            return map_equations(value, change)
        if type(value) in {tuple, list}:
            return type(value)(map(on_value, value))
        return value

    def on_equation(equation: JaxprEqn) -> JaxprEqn:
        if equation.primitive.name in _KERNEL_CALLS:
            return change(equation)
        parameters = {name: on_value(value) for name, value in equation.params.items()}
        return change(equation.replace(params=parameters))

    return jaxpr.replace(eqns=[on_equation(equation) for equation in jaxpr.eqns])


def interpret_kernels(jaxpr: Jaxpr) -> Jaxpr:
    """Returns the jaxpr with every `pallas_call` and `core_map` in the HLO interpreter's mode."""

    def change(equation: JaxprEqn) -> JaxprEqn:
        if equation.primitive.name not in _KERNEL_CALLS:
            return equation
        return equation.replace(params={**equation.params, "interpret": True})

    return map_equations(jaxpr, change)
