"""Prints, as one JSON line, what libtpu's topology of the given name says of its first device.

Run in a process of its own: libtpu reads its environment once, when it is loaded.
"""

import json
import sys

from jax.experimental import topologies

devices = topologies.get_topology_desc(platform="tpu", topology_name=sys.argv[1]).devices
first = devices[0]
report = {
    "device_kind": first.device_kind,
    "num_cores": first.num_cores,
    "devices_per_chip": sum(device.coords == first.coords for device in devices),
}
sys.stdout.write(json.dumps(report) + "\n")
