"""The process that compiles a Program: `python -m jaxbench_predictor.dumps.worker PROGRAM TOPOLOGY MEMORY_BYTES`.

Besides what libtpu dumps, it writes the VMEM of each instruction into its working directory.
"""

import resource
import sys
from pathlib import Path

from jaxbench_predictor.dumps.scoped_memory import write_scoped_vmem


def main(program: Path, topology_name: str, memory_bytes: int) -> None:
    """Compiles a serialized Program for the first device of a topology; libtpu dumps as the environment says."""
    # Before JAX is imported, so that it bounds everything; RLIMIT_DATA counts no address space that is only reserved.
    resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))

    import jax  # noqa: PLC0415 - after the limit
    from jax import export  # noqa: PLC0415
    from jax.experimental import topologies  # noqa: PLC0415
    from jax.sharding import SingleDeviceSharding  # noqa: PLC0415

    exported = export.deserialize(bytearray(program.read_bytes()))
    topology = topologies.get_topology_desc(platform="tpu", topology_name=topology_name)
    sharding = SingleDeviceSharding(topology.devices[0])
    specs = [jax.ShapeDtypeStruct(aval.shape, aval.dtype, sharding=sharding) for aval in exported.in_avals]
    arguments, keywords = jax.tree.unflatten(exported.in_tree, specs)
    # Unused arguments are kept, so that positions of parameters are those of arguments.
    compiled = jax.jit(exported.call, keep_unused=True).lower(*arguments, **keywords).compile()
    write_scoped_vmem(compiled.as_text() or "", Path())


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
