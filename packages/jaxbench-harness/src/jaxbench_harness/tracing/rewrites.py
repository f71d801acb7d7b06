"""Rewrites of a trace, so that it runs on a CPU and rounds there as it would on a TPU."""

from collections.abc import Callable
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Jaxpr, JaxprEqn, Literal

from jaxbench_harness.tracing.poison import poison_outputs

_CONTRACTIONS = frozenset({"dot_general", "ragged_dot_general", "conv_general_dilated"})
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


def primitive_names(jaxpr: Jaxpr) -> set[str]:
    """Returns the names of all primitives in the jaxpr, those in inner bodies included, in kernels excluded."""
    names: set[str] = set()

    def note(equation: JaxprEqn) -> JaxprEqn:
        names.add(equation.primitive.name)
        return equation

    map_equations(jaxpr, note)
    return names


def interpret_kernels(jaxpr: Jaxpr) -> Jaxpr:
    """Returns the jaxpr with every `pallas_call` and `core_map` in the HLO interpreter's mode.

    Output blocks are poisoned where that interpreter would show what a TPU does not (see `poison_outputs`).
    """

    def change(equation: JaxprEqn) -> JaxprEqn:
        if equation.primitive.name not in _KERNEL_CALLS:
            return equation
        if equation.primitive.name == "pallas_call":
            equation = poison_outputs(equation)
        body = map_equations(equation.params["jaxpr"], _with_array_literals)
        return equation.replace(params={**equation.params, "jaxpr": body, "interpret": True})

    return map_equations(jaxpr, change)


def _with_array_literals(equation: JaxprEqn) -> JaxprEqn:
    """Makes NumPy scalars of literals: where one is an index, the interpreter asks for its shape, which ints lack."""
    return equation.replace(invars=[_as_array(atom) for atom in equation.invars])


def _as_array(atom: Any) -> Any:
    if isinstance(atom, Literal) and isinstance(atom.val, int | float):
        return Literal(np.asarray(atom.val, _dtype(atom)), atom.aval)
    return atom


def accumulate_in_float32(jaxpr: Jaxpr) -> Jaxpr:
    """Rewrites every bfloat16 contraction to float32 operands and one rounding to the dtype it had.

    That is what a TPU's matrix unit does. XLA's CPU backend accumulates some bfloat16 dots in less (2 % off in
    `einsum("bsef,efd->bsed")`), and has no code at all for others (one whose result is transposed).

    Args:
        jaxpr: A traced function; the bodies of its loops, branches, calls and Pallas kernels are rewritten too.

    Returns:
        A jaxpr of the same inputs and outputs.
    """
    return map_equations(jaxpr, _float32_contraction)


def _float32_contraction(equation: JaxprEqn) -> JaxprEqn:
    if equation.primitive.name in _KERNEL_CALLS:
        return equation.replace(params={**equation.params, "jaxpr": accumulate_in_float32(equation.params["jaxpr"])})
    if equation.primitive.name not in _CONTRACTIONS or not any(map(is_bfloat16, equation.invars)):
        return equation
    highest = (jax.lax.Precision.HIGHEST, jax.lax.Precision.HIGHEST)
    params = equation.params | {"precision": highest, "preferred_element_type": jnp.dtype(jnp.float32)}

    @jax.jit
    def contraction(*operands: jax.Array) -> jax.Array:
        result = cast("jax.Array", equation.primitive.bind(*map(widened, operands), **params))
        return result.astype(_dtype(equation.outvars[0]))

    (call,) = jax.make_jaxpr(contraction)(*(atom.aval for atom in equation.invars)).eqns
    return call.replace(invars=equation.invars, outvars=equation.outvars)


def is_bfloat16(atom: Any) -> bool:
    """Returns whether a variable or literal of a jaxpr is bfloat16."""
    return _dtype(atom) == jnp.bfloat16


def _dtype(atom: Any) -> Any:
    return getattr(atom.aval, "dtype", None)  # tokens have none


def widened(array: jax.Array) -> jax.Array:
    """Returns a floating array as float32, any other as it is."""
    return array.astype(jnp.float32) if jnp.issubdtype(array.dtype, jnp.floating) else array
