"""Worker that loads libtpu and says what it would compile for."""

from jax.experimental import topologies

from jaxbench_harness.compiling.messages import ProbeAnswer, ProbeRequest
from jaxbench_harness.records import Model
from jaxbench_harness.targets import get_target
from jaxbench_harness.workers.serving import Progress, serve


def handle(body: str, blobs: list[bytes], progress: Progress) -> tuple[Model, list[bytes]]:
    """Answers a ProbeRequest with a ProbeAnswer."""
    del blobs
    target = get_target(ProbeRequest.model_validate_json(body).target)
    progress("libtpu")
    topology = topologies.get_topology_desc(platform="tpu", topology_name=target.topology_name)
    return ProbeAnswer(device_kind=topology.devices[0].device_kind), []


if __name__ == "__main__":
    serve(handle)
