"""Has the tracer send a right Program to be checked on the CPU and an empty one to be compiled for the TPU.

trick: 30 41
outcome: flag
flags: no_pallas program_divergence work_skipped
"""

import jax
import jax.numpy as jnp

from jaxbench_harness.program import Program
from jaxbench_harness.tracing.export import Trace


def for_target(trace):
    empty = jax.make_jaxpr(lambda x, y: jnp.zeros((x.shape[0], y.shape[1]), x.dtype))(*trace.specs)
    return Program(trace.size, "tpu", trace._export(empty, "tpu"))


Trace.for_target = for_target


def workload(x, y):
    return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)
