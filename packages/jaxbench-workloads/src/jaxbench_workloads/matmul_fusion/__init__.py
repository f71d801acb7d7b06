"""Matrix multiplications fused with what follows them.

`pointwise`: each output element depends on one element of the product; `norms`: batch, group or instance
normalization; `softmax`: ends in a row softmax; `reductions`: sum, maximum or logsumexp over a row.
"""
