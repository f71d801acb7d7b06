"""8p_GEMM that takes its path by asking in every usual way which TPU it is on."""

import jax
import jax.numpy as jnp
from jax.experimental.pallas import tpu as pltpu

assert jax.default_backend() == "tpu"
assert jax.devices()[0].device_kind == "TPU v6 lite"


def workload(A, B):
    assert pltpu.get_tpu_info().chip_version.value == "v6e"
    assert jax.default_backend() == "tpu"
    return jnp.dot(A, B, preferred_element_type=jnp.float32).astype(A.dtype)
