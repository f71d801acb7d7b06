"""Honest variants of a reference: what a right kernel may compute, and the check must accept."""

# JAX annotates its own jaxprs only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import Jaxpr, JaxprEqn, Var

from jaxbench_workloads.audit import contractions
from jaxbench_workloads.audit.equations import Replacement, Values, bind, bodies, in_body, inlined

_SOFTMAX_TILE = 128


def honest_variants(jaxpr: Jaxpr) -> Iterator[tuple[str, Mapping[int, Replacement]]]:
    """Yields name and replacements of each honest variant of an inlined float32 reference.

    What they have in common: float32 between the operations, as a fused kernel keeps it.
    """
    yield "float32, rounded once", {}
    yield "operands of contractions in bfloat16", _everywhere(jaxpr, _bfloat16_operands)
    yield "contractions in another order", _everywhere(jaxpr, _other_order)
    if tiled := _everywhere(jaxpr, _tiled_exponentials):
        yield "exponentials in bfloat16, relative to the maximum of their tile", tiled


Producers = Mapping[Var, JaxprEqn]
Rule = Callable[[JaxprEqn, Producers], Replacement | None]
"""What an equation is replaced by, if anything; takes the equations that made the variables before it as well."""


def _everywhere(jaxpr: Jaxpr, rule: Rule) -> dict[int, Replacement]:
    """Returns what a rule replaces in an inlined jaxpr and in the bodies of its loops and branches."""
    found: dict[int, Replacement] = {}
    producers = {variable: equation for equation in jaxpr.eqns for variable in equation.outvars}
    for index, equation in enumerate(jaxpr.eqns):
        if replacement := rule(equation, producers):
            found[index] = replacement
        for name, position, body in bodies(equation):
            if inner := _everywhere(inlined(body), rule):
                found[index] = in_body(name, position, inner)
    return found


def _bfloat16_operands(equation: JaxprEqn, producers: Producers) -> Replacement | None:
    del producers
    matches = equation.primitive.name in contractions.NAMES
    return contractions.with_operands(contractions.to_bfloat16) if matches else None


def _other_order(equation: JaxprEqn, producers: Producers) -> Replacement | None:
    del producers
    return contractions.in_other_order if equation.primitive.name in contractions.NAMES else None


def _tiled_exponentials(equation: JaxprEqn, producers: Producers) -> Replacement | None:
    """Matches the exponentials of a softmax: what an online softmax rounds before it multiplies with the values."""
    if equation.primitive.name != "exp":
        return None
    shift = _producer(equation.invars[0], producers)
    if shift is None or shift.primitive.name != "sub":
        return None
    return _rounded_per_tile if _is_maximum(shift.invars[1], producers) else None


def _producer(atom: Any, producers: Producers) -> JaxprEqn | None:
    return producers.get(atom) if isinstance(atom, Var) else None


def _is_maximum(atom: Any, producers: Producers) -> bool:
    """Returns whether a value is a maximum over an axis, but for its shape and for guards against infinity."""
    made_by = _producer(atom, producers)
    if made_by is None:
        return False
    if made_by.primitive.name in _KEEP_A_MAXIMUM:
        return any(_is_maximum(operand, producers) for operand in made_by.invars)
    return made_by.primitive.name == "reduce_max"


_KEEP_A_MAXIMUM = frozenset({"broadcast_in_dim", "max", "reshape", "select_n", "squeeze", "stop_gradient"})


def _rounded_per_tile(equation: JaxprEqn, values: Values) -> Values:
    (result,) = bind(equation, values)
    length = result.shape[-1]
    tiles = [
        jax.lax.slice_in_dim(result, start, min(start + _SOFTMAX_TILE, length), axis=-1)
        for start in range(0, length, _SOFTMAX_TILE)
    ]
    return [jnp.concatenate([_rounded_relative_to_maximum(tile) for tile in tiles], axis=-1)]


def _rounded_relative_to_maximum(tile: jax.Array) -> jax.Array:
    largest = jnp.max(tile, axis=-1, keepdims=True)
    largest = jnp.where((largest > 0) & jnp.isfinite(largest), largest, 1.0)
    return (tile / largest).astype(jnp.bfloat16).astype(tile.dtype) * largest
