"""Matrix multiplications fused with what follows them.

`pointwise`: each output element depends on one element of the product; `norms` and
`batch_norms`: a normalization; `softmax`: ends in a row softmax; `reductions`: sum, maximum or logsumexp over a row.
"""
