"""Imports what sandboxed workers will, to keep its bytecode: `python -m jaxbench_harness.workers.warm_up NAME...`.

Much of JAX is imported only as a kernel is lowered, so one is. NAMEs are further packages that candidates use.
"""

import importlib
import sys
from typing import Any

import jax
from jax import export
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

_WORKERS = ("jaxbench_harness.workers.interpret", "jaxbench_harness.workers.trace")


def main() -> None:
    """Imports all of it."""
    for name in (*_WORKERS, *sys.argv[1:]):
        importlib.import_module(name)
    tile = jax.ShapeDtypeStruct((8, 128), "float32")
    memory = pl.BlockSpec(memory_space=pltpu.VMEM)
    for platform in ("cpu", "tpu"):
        kernel = pl.pallas_call(_copy, out_shape=tile, in_specs=[memory], out_specs=memory, interpret=platform == "cpu")
        export.export(jax.jit(kernel), platforms=[platform])(tile)


def _copy(source: Any, target: Any) -> None:
    target[...] = source[...]


if __name__ == "__main__":
    main()
