"""Matrix multiplication workloads."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from jaxbench_harness.input_distributions import Normal, OutlierElements, with_cancelling
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.workload import InputSpec, OutputSpec, Workload, sizes


def gemm(A: Float[Array, "M K"], B: Float[Array, "K N"]) -> Float[Array, "M N"]:  # noqa: N803
    """Returns `A @ B`, accumulated in float32 and rounded once to the dtype of `A`."""
    return jnp.dot(A, B, preferred_element_type=jnp.float32).astype(A.dtype)


GEMM = Workload(
    id="8p_GEMM",
    version=1,
    title="Dense matrix multiplication",
    tier="production",
    family="matmul",
    model="Llama-3.1-70B",
    semantics="out[m,n] = sum_k A[m,k] * B[k,n], accumulated in float32 and rounded once.",
    sizes=sizes(
        full={"M": 8192, "K": 8192, "N": 28672},
        check={"M": 512, "K": 512, "N": 1024},
        check_odd={"M": 384, "K": 640, "N": 896},
    ),
    inputs=(
        InputSpec("A", ("M", "K"), meaning="activations, row-major"),
        InputSpec("B", ("K", "N"), role="weight", meaning="weights (in, out)"),
    ),
    output=OutputSpec(("M", "N")),
    distributions=with_cancelling(
        {
            "standard": {"A": Normal(), "B": Normal("1/sqrt(K)")},
            "outliers": {"A": OutlierElements(), "B": OutlierElements("1/sqrt(K)")},
            # Products have mean 2/K: losing a few terms of the sum shifts the whole output.
            "offset": {"A": Normal(mean=1), "B": Normal("1/sqrt(K)", mean="2/K")},
        },
        "4*sqrt(K)",
        A=1,
        B=0,
    ),
    reference=gemm,
    tolerance=Tolerance(scale="std", rtol=0.02, atol_scale=0.1),
    flops="2*M*K*N",
)
