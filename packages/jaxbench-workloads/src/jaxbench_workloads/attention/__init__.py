"""Attention over whole sequences.

`causal`: of given queries, keys and values; `latent`: with the projections that make them.
"""
