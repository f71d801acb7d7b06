import json

import jax
from jax.experimental.pallas import tpu as pltpu

found = {
    "chip": pltpu.get_tpu_info().chip_version.value,
    "backend": jax.default_backend(),
    "kinds": [device.device_kind for device in jax.devices()],
    "counts": [jax.device_count(), jax.local_device_count()],
}
raise RuntimeError(json.dumps(found))
