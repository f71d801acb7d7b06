"""The process that compiles one program: `python -m jaxbench_calibration.compiler_worker NAME`.

libtpu dumps as the environment says. Its own module, because libtpu reads its flags once.
"""

import os
import sys

import jax
from jax.experimental import topologies
from jax.sharding import SingleDeviceSharding

from jaxbench_calibration.programs.catalogue import programs

_TOPOLOGY = "v6e:2x2"
"""This libtpu refuses a topology of one chip; each device of this one is compiled for alone."""


def main(name: str) -> None:
    """Compiles the program called `name` for the first device of the topology."""
    function, specs = programs()[name].build()
    topology = topologies.get_topology_desc(platform="tpu", topology_name=_TOPOLOGY)
    sharding = SingleDeviceSharding(topology.devices[0])
    placed = [jax.ShapeDtypeStruct(spec.shape, spec.dtype, sharding=sharding) for spec in specs]
    jax.jit(function).lower(*placed).compile()
    sys.stdout.flush()
    # Without the destructors of this libtpu, which abort.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
