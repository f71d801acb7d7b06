"""Wrong answers that an audit may let pass, and why."""

import fnmatch
from collections.abc import Mapping

_WEIGHTED_SUM = (
    "a running sum of weighted values, rounded 16 times, errs by one to two noise floors, and two are allowed; terms "
    "that cancel would make it visible, but honest kernels round the weights by as much"
)
_CHAIN = "one contraction of nine errs by one to two noise floors of the whole chain, and two are allowed"

LABELS: Mapping[tuple[str, str], str] = {
    ("?p_*Attention", "dot_general 2 accumulated in bfloat16*"): _WEIGHTED_SUM,
    ("15p_RetNet_Retention", "dot_general 2 accumulated in bfloat16"): _WEIGHTED_SUM,
    ("16p_Mamba2_SSD", "dot_general 2 accumulated in bfloat16"): _WEIGHTED_SUM,
    ("3p_MLA_Attention", "dot_general ? accumulated in bfloat16"): _CHAIN,
    ("3p_MLA_Attention", "operands of dot_general [467] in int8"): _CHAIN,
    ("10p_Sparse_MoE", "dot_general ? accumulated in bfloat16"): (
        "one contraction of four errs by one to two noise floors of the whole chain, and two are allowed; router "
        "logits are so far apart that rounding them changes no route"
    ),
    ("32k_Gemm_Sigmoid_LogSumExp", "dot_general 2 accumulated in bfloat16"): (
        "errs by one to two noise floors, and two are allowed"
    ),
    ("36k_Matmul_Sigmoid_Sum", "dot_general 1 accumulated in float16"): (
        "a sum over all features averages rounding out; bfloat16 in its place is rejected"
    ),
    ("39k_Conv2d_GELU_GlobalAvgPool", "x shifted by one along axis [23]"): (
        "a mean over all positions depends on a shift at the borders only"
    ),
    ("13p_Cross_Entropy", "dot_general 1 accumulated in float16"): (
        "the loss is a mean over all tokens, in which random rounding averages out: the error is a tenth of the limit"
    ),
}
"""Reason by pattern of workload id and pattern of answer, as `fnmatch` reads them."""


def label_of(workload_id: str, answer: str) -> str:
    """Returns why an answer is let pass; empty where it isn't."""
    found = (
        reason
        for (workload_pattern, answer_pattern), reason in LABELS.items()
        if fnmatch.fnmatchcase(workload_id, workload_pattern) and fnmatch.fnmatchcase(answer, answer_pattern)
    )
    return next(found, "")
