"""Has the tracer send a right Program to be checked on the CPU and another, with as much work, for the TPU.

trick: 30 41
outcome: gap
flags: no_pallas
"""

import jax
import jax.numpy as jnp

from jaxbench_harness.program import Program
from jaxbench_harness.tracing.export import Trace


def for_target(trace):
    wrong = jax.make_jaxpr(lambda x, y: -workload(x, y))(*trace.specs)
    return Program(trace.size, "tpu", trace._export(wrong, "tpu"))


Trace.for_target = for_target


def workload(x, y):
    return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)
