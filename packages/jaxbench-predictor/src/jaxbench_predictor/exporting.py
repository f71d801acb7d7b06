"""Makes a Program of a function. The only module beside the compile worker that imports JAX."""

from collections.abc import Callable
from typing import Any

import jax
from jax import export
from jax.sharding import AbstractDevice, AbstractMesh, AxisType, use_abstract_mesh

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
