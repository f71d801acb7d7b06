"""Presents a target to code that asks which device it is traced for."""

import importlib
import importlib.util
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager

import jax
from jax.sharding import AbstractDevice, AbstractMesh, AxisType, use_abstract_mesh

from jaxbench_harness.tracing.messages import AbstractChip


@contextmanager
def abstract_chip(chip: AbstractChip, sources: Sequence[bytes]) -> Generator[None]:
    """Makes `pltpu.get_tpu_info()`, `jax.default_backend()`, `jax.devices()` and Tokamax answer for `chip`.

    The public names in the `jax` module are replaced for the rest of the process: candidates may have copied them at
    import. JAX's own code uses private names and keeps its CPU backend. Tokamax takes seconds to import,
    so it is told about the target only when one of the `sources` names it.
    """
    device = AbstractDevice(device_kind=chip.device_kind, num_cores=chip.num_cores, platform="tpu")
    # Explicit axes break library kernels that compute an operand inside the graph.
    mesh = AbstractMesh((1,), ("x",), axis_types=(AxisType.Auto,), abstract_device=device)
    _present(device)
    with ExitStack() as stack:
        stack.enter_context(use_abstract_mesh(mesh))
        if any(b"tokamax" in source for source in sources) and importlib.util.find_spec("tokamax"):
            tokamax = importlib.import_module("tokamax")
            stack.enter_context(tokamax.config.cross_compile(True))
        yield


def _present(device: AbstractDevice) -> None:
    def default_backend() -> str:
        return device.platform

    def devices(backend: str | None = None) -> list[AbstractDevice]:
        if backend not in (None, device.platform):
            raise RuntimeError(f"backend {backend!r} asked for; candidates are traced for {device.platform!r}")
        return [device]

    def device_count(backend: str | None = None) -> int:
        return len(devices(backend))

    jax.default_backend = default_backend
    jax.devices = jax.local_devices = devices
    jax.device_count = jax.local_device_count = device_count
