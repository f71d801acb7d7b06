"""Cross entropy, token by token; second, as the logarithm of the label's probability."""

import numpy as np

from workload_numpy_references.common import logsumexp_of_row, softmax_of_row


def cross_entropy(hidden, weight, labels, **dims):
    total = 0.0
    for state, label in zip(hidden, labels, strict=True):
        logits = state @ weight
        total += logsumexp_of_row(logits) - logits[label]
    return np.float64(total / dims["batch_tokens"])


def cross_entropy_from_probabilities(hidden, weight, labels, **_dims):
    logits = hidden @ weight
    return np.mean([-np.log(softmax_of_row(row)[label]) for row, label in zip(logits, labels, strict=True)])


REFERENCES = {"13p_Cross_Entropy": cross_entropy}
SECOND_FORMULATIONS = {"13p_Cross_Entropy": cross_entropy_from_probabilities}
