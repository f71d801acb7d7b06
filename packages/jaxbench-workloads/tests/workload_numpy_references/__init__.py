"""The workloads once more in float64 NumPy, written from the workloads' definitions in words.

Loops and plain formulas, so that they share neither operations nor mistakes with the references in JAX. A function
takes the inputs in call order, floating-point ones as float64 arrays and integer ones as integer arrays, and the
dimensions of the size as keywords.

`REFERENCES` maps a workload's id to its function. Where the definition of the public version is degenerate, that
function is the repaired one, and `<id>@public` is the public one. `SECOND_FORMULATIONS` maps some of the same keys to
a different way of computing the same values.
"""

from workload_numpy_references import (
    attention,
    conv_fusion,
    dense,
    linear_attention,
    loss,
    matmul_fusion,
    moe,
    paged_attention,
    ssm,
    triangle,
)

REFERENCES = (
    attention.REFERENCES
    | conv_fusion.REFERENCES
    | dense.REFERENCES
    | linear_attention.REFERENCES
    | loss.REFERENCES
    | matmul_fusion.REFERENCES
    | moe.REFERENCES
    | paged_attention.REFERENCES
    | ssm.REFERENCES
    | triangle.REFERENCES
)
SECOND_FORMULATIONS = (
    attention.SECOND_FORMULATIONS
    | conv_fusion.SECOND_FORMULATIONS
    | linear_attention.SECOND_FORMULATIONS
    | loss.SECOND_FORMULATIONS
    | moe.SECOND_FORMULATIONS
    | paged_attention.SECOND_FORMULATIONS
    | ssm.SECOND_FORMULATIONS
    | triangle.SECOND_FORMULATIONS
)
