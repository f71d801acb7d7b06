"""Makes a Program of a function. The only module beside the compile worker that imports JAX."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import jax
import numpy as np
from jax import export
from jax.sharding import AbstractDevice, AbstractMesh, AxisType, use_abstract_mesh

from jaxbench_predictor.execution.inputs import Inputs
from jaxbench_predictor.machines import Machine


def export_program(function: Callable[..., Any], specs: tuple[Any, ...], machine: Machine) -> bytes:
    """Traces a function for a machine and serializes it.

    Code that asks for the present TPU, such as `pltpu.get_tpu_info()`, is told of `machine`.

    Args:
        function: What to trace; need not be jitted.
        specs: Its arguments: arrays or `jax.ShapeDtypeStruct`s, or pytrees of them.
        machine: The target.
    """
    device = AbstractDevice(device_kind=machine.device_kind, num_cores=machine.num_cores, platform="tpu")
    mesh = AbstractMesh((1,), ("x",), axis_types=(AxisType.Auto,), abstract_device=device)
    with use_abstract_mesh(mesh):
        return bytes(export.export(jax.jit(function), platforms=["tpu"])(*specs).serialize())


def known_inputs(function: Callable[..., Any], specs: tuple[Any, ...], named: Mapping[int | str, Any]) -> Inputs:
    """Returns the contents of integer inputs that are given, by position in the flattened arguments.

    Args:
        function: The function.
        specs: Its arguments; arrays of integers or booleans among them are content.
        named: Further contents, by name of the function's parameter or by position.

    Raises:
        ValueError: A content does not fit the argument.
    """
    leaves = jax.tree.leaves(specs)
    given = {index: leaf for index, leaf in enumerate(leaves) if not isinstance(leaf, jax.ShapeDtypeStruct)}
    arrays = {index: np.asarray(leaf) for index, leaf in given.items() if np.asarray(leaf).dtype.kind in "iub"}
    for key, content in named.items():
        index = _position(function, specs, key) if isinstance(key, str) else key
        array = np.asarray(content)
        if not 0 <= index < len(leaves):
            raise ValueError(f"the content of argument {key!r} is given, but there are {len(leaves)} arguments")
        if array.dtype.kind not in "iub":
            raise ValueError(
                f"the content of argument {key!r} is {array.dtype}; only integers and booleans decide time"
            )
        if array.shape != np.shape(leaves[index]):
            raise ValueError(
                f"the content of argument {key!r} is of shape {array.shape}, the argument of {np.shape(leaves[index])}"
            )
        arrays[index] = array
    return Inputs(arrays=arrays)


def _position(function: Callable[..., Any], specs: tuple[Any, ...], name: str) -> int:
    arguments = inspect.signature(function).bind(*specs).arguments
    if name not in arguments:
        raise ValueError(f"the content of argument {name!r} is given; the arguments are {', '.join(arguments)}")
    before = 0
    for argument, value in arguments.items():
        count = len(jax.tree.leaves(value))
        if argument == name and count != 1:
            raise ValueError(f"argument {name!r} is no array; give the content by position")
        if argument == name:
            break
        before += count
    return before
