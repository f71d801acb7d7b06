"""Has a kernel in the HLO interpreter begin each visit of an output block with poison, where a TPU begins with junk.

The interpreter fills what was never written with NaN (the least integer), but hands a kernel the block as it is in HBM:
what an earlier visit left there, or the input that the output is aliased to. A TPU doesn't read output blocks; a visit
begins with whatever its buffer in VMEM held.
"""

from collections.abc import Callable, Sequence
from typing import Any, cast

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.extend.core import Jaxpr, JaxprEqn, Literal, jaxpr_as_fun

_NOT_BLOCKED = (pl.ANY, pltpu.HBM, pltpu.SEMAPHORE)
"""Memory spaces of outputs that the kernel itself writes, piece by piece."""


def poison_outputs(call: JaxprEqn) -> JaxprEqn:
    """Returns a `pallas_call` whose kernel first fills each output block that the step before did not have.

    Floats become NaN, integers the least of their dtype. A kernel that writes the whole block on every visit computes
    what it did before.

    Args:
        call: An equation of the primitive `pallas_call`.
    """
    grid = call.params["grid_mapping"]
    kernel: Jaxpr = call.params["jaxpr"]
    chosen = _read_back(call)
    if not chosen or grid.local_grid_env is not None:
        return call
    operands: int = grid.num_index_operands
    first_output: int = operands + grid.num_inputs
    scalars = kernel.invars[:operands]
    outputs = [kernel.invars[first_output + number] for number in chosen]
    mappings: list[Any] = list(grid.block_mappings_output)
    maps: list[Jaxpr] = [mappings[number].index_map_jaxpr for number in chosen]
    prologue = _prologue(grid, [var.aval for var in scalars], [var.aval for var in outputs], maps)
    renamed = dict(zip(prologue.invars, [*scalars, *outputs], strict=True))
    equations = [_rename(equation, renamed) for equation in prologue.eqns]
    return call.replace(params={**call.params, "jaxpr": kernel.replace(eqns=[*equations, *kernel.eqns])})


def _read_back(call: JaxprEqn) -> list[int]:
    """Returns the numbers of the outputs whose blocks may hold something else than poison when a visit begins."""
    grid = call.params["grid_mapping"]
    aliased = {output for _, output in call.params["input_output_aliases"]}
    return [
        number
        for number, mapping in enumerate(grid.block_mappings_output)
        if mapping.transformed_block_aval.memory_space not in _NOT_BLOCKED
        and (number in aliased or not all(isinstance(atom, Literal) for atom in mapping.index_map_jaxpr.outvars))
    ]


def _prologue(grid: Any, scalars: Sequence[Any], outputs: Sequence[Any], maps: Sequence[Jaxpr]) -> Jaxpr:
    """Traces the filling as a kernel of its own.

    Args:
        grid: Grid mapping of the call.
        scalars: Abstract values of the references to prefetched scalars.
        outputs: Those of the references to output blocks.
        maps: Index map of each output.

    Returns:
        A jaxpr over the references to scalars and outputs, in this order.
    """
    own_axes = [axis for axis in range(len(grid.grid)) if axis not in grid.vmapped_dims]

    def fill(*references: Any) -> None:
        prefetched, blocks = references[: len(scalars)], references[len(scalars) :]
        step = [pl.program_id(axis) for axis in range(len(own_axes))]
        extents = [pl.num_programs(axis) for axis in range(len(own_axes))]
        before, is_first = _step_before(step, extents)
        for block, index_map in zip(blocks, maps, strict=True):
            # Axes that vmap has added are the outermost: the first step along the others has another block anyway.
            index = _evaluator(index_map, own_axes, len(grid.grid), prefetched)
            moved = [now != then for now, then in zip(index(step), index(before), strict=True)]
            changed = jnp.any(jnp.stack([jnp.asarray(is_first), *map(jnp.asarray, moved)]))
            block[...] = jnp.where(changed, _poison(block.dtype), block[...])

    is_dynamic = [not isinstance(extent, int) for extent in grid.grid]

    def call(bounds: Sequence[jax.Array], operands: Sequence[jax.Array]) -> Any:
        left = iter(bounds)
        extents = [next(left) if dynamic else extent for extent, dynamic in zip(grid.grid, is_dynamic, strict=True)]
        spec = pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=len(scalars), grid=tuple(extents[axis] for axis in own_axes), in_specs=[]
        )
        shapes = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in outputs]
        return pl.pallas_call(fill, out_shape=shapes, grid_spec=spec)(*operands)

    bounds = [jax.ShapeDtypeStruct((), jnp.int32)] * sum(is_dynamic)
    traced = jax.make_jaxpr(call)(bounds, [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in scalars])
    return next(equation.params["jaxpr"] for equation in traced.eqns if equation.primitive.name == "pallas_call")


def _step_before(step: Sequence[Any], extents: Sequence[Any]) -> tuple[list[Any], Any]:
    """Returns the grid step before `step`, last axis fastest, and whether there is none."""
    borrow: Any = True
    before: list[Any] = []
    for index, extent in zip(reversed(step), reversed(extents), strict=True):
        before.append(jnp.where(borrow, jnp.where(index == 0, extent - 1, index - 1), index))
        borrow = jnp.logical_and(borrow, index == 0)
    return before[::-1], borrow


def _evaluator(
    index_map: Jaxpr, own_axes: Sequence[int], axes: int, prefetched: Sequence[Any]
) -> Callable[[Sequence[Any]], list[Any]]:
    def index(step: Sequence[Any]) -> list[Any]:
        of_axis = dict(zip(own_axes, step, strict=True))
        full = [jnp.int32(of_axis.get(axis, 0)) for axis in range(axes)]
        return cast("list[Any]", jaxpr_as_fun(index_map)(*full, *prefetched))

    return index


def _poison(dtype: Any) -> Any:
    if jnp.issubdtype(dtype, jnp.floating):
        return jnp.asarray(jnp.nan, dtype)
    return jnp.asarray(True if dtype == jnp.bool_ else jnp.iinfo(dtype).min, dtype)


def _rename(equation: JaxprEqn, names: dict[Any, Any]) -> JaxprEqn:
    inputs = [atom if isinstance(atom, Literal) else names.get(atom, atom) for atom in equation.invars]
    return equation.replace(invars=inputs)
