"""Small workloads that the suite registers as an installed package would; most candidates are judged on them."""

import jax.numpy as jnp

from jaxbench_harness.input_distributions import Normal
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.workload import InputSpec, OutputSpec, Workload, sizes


def product(x, y):
    return jnp.dot(x, y, preferred_element_type=jnp.float32).astype(x.dtype)


WORKLOADS = (
    Workload(
        id="product",
        version=1,
        title="product",
        tier="user",
        family="matmul",
        semantics="x @ y, accumulated in float32 and rounded once",
        sizes=sizes(
            full={"M": 256, "K": 256, "N": 256},
            check={"M": 64, "K": 128, "N": 128},
            check_odd={"M": 40, "K": 128, "N": 128},
        ),
        inputs=(InputSpec("x", ("M", "K"), "bfloat16"), InputSpec("y", ("K", "N"), "bfloat16", role="weight")),
        output=OutputSpec(("M", "N"), "bfloat16"),
        distributions={"standard": {"x": Normal(), "y": Normal()}},
        reference=product,
        tolerance=Tolerance(),
        flops="2*M*K*N",
    ),
)
