"""Algorithms that need fewer FLOPs than the references, in NumPy, counting the multiply-adds of their sums of products.

They show that the useful FLOPs of a workload, where not simply what a mask leaves, suffice for its answer. A function
takes the inputs by name as float64 arrays and returns the output with the FLOPs counted.
"""

import itertools

import numpy as np


class Counter:
    """Matrix products that count themselves."""

    def __init__(self):
        self.flops = 0

    def matmul(self, a, b):
        self.flops += 2 * a.shape[0] * a.shape[1] * b.shape[1]
        return a @ b


def decayed_sums(counter, query, key, value, log_decay, end):
    """Returns sum over j <= i of (query_i . key_j) exp(log_decay_i - log_decay_j) value_j for every position i.

    A state carries the decayed sum of key_j value_j^T. The first `end` positions do without it, and the last `end`
    positions do not update it.
    """
    seq_len, head_dim = query.shape
    chunks = [slice(0, end), *(slice(at, at + 1) for at in range(end, seq_len - end)), slice(seq_len - end, seq_len)]
    state, at_state = np.zeros((head_dim, value.shape[1])), 0.0
    out = np.empty((seq_len, value.shape[1]))
    for chunk in chunks:
        first, last = chunk.start == 0, chunk.stop == seq_len
        single = chunk.stop - chunk.start == 1
        if single:  # the state takes the position's own key before it is read
            state, at_state = _updated(counter, state, at_state, key[chunk], value[chunk], log_decay[chunk])
        decay = np.exp(log_decay[chunk] - at_state)[:, None]
        out[chunk] = 0 if first else counter.matmul(query[chunk] * decay, state)
        if not single:
            out[chunk] += _visible_products(counter, query[chunk], key[chunk], value[chunk], log_decay[chunk])
            if not last:
                state, at_state = _updated(counter, state, at_state, key[chunk], value[chunk], log_decay[chunk])
    return out


def _updated(counter, state, at_state, key, value, log_decay):
    decayed = np.exp(log_decay[-1] - log_decay)[:, None] * key
    return state * np.exp(log_decay[-1] - at_state) + counter.matmul(decayed.T, value), log_decay[-1]


def _visible_products(counter, query, key, value, log_decay):
    out = np.zeros((len(query), value.shape[1]))
    for position in range(len(query)):
        past = slice(0, position + 1)
        weight = counter.matmul(query[position : position + 1], key[past].T)
        out[position] = counter.matmul(weight * np.exp(log_decay[position] - log_decay[past]), value[past])[0]
    return out


def state_space(inputs):
    """16p: the row sums are one more feature of the values."""
    query, key, value, logits = (inputs[name] for name in ("query", "key", "value", "A_log"))
    log_decay = np.cumsum(np.log(1 / (1 + np.exp(-logits)) + 1e-8), axis=-1)
    counter, out = Counter(), np.empty_like(query)
    for at in np.ndindex(query.shape[:2]):
        with_ones = np.pad(value[at], ((0, 0), (0, 1)), constant_values=1)
        summed = decayed_sums(counter, query[at], key[at], with_ones, log_decay[at], query.shape[-1] // 2)
        out[at] = summed[:, :-1] / np.maximum(np.abs(summed[:, -1:]), 1)
    return out, counter.flops


def retention(inputs):
    """15p: every score for the sum of magnitudes, but a state for what meets the values."""
    query, key, value = (inputs[name] for name in ("query", "key", "value"))
    head_dim = query.shape[-1]
    counter, out = Counter(), np.empty_like(query)
    for at in np.ndindex(query.shape[:2]):
        log_decay = np.arange(query.shape[-2]) * np.log1p(-(2.0 ** (-5 - at[1])))
        scores = np.zeros((len(log_decay), len(log_decay)))
        for position in range(len(log_decay)):
            past = slice(0, position + 1)
            scores[position, past] = counter.matmul(query[at][position : position + 1], key[at][past].T)[0]
        decay = np.tril(np.exp(np.minimum(log_decay[:, None] - log_decay, 0)))
        magnitude = np.maximum(np.abs(scores * decay).sum(axis=-1, keepdims=True), 1)
        # The scores are there, so that within the ends the values alone are multiplied.
        state_only = Counter()
        summed = decayed_sums(state_only, query[at], key[at], value[at], log_decay, head_dim)
        counter.flops += state_only.flops - 2 * 2 * head_dim * (head_dim * (head_dim + 1) // 2)
        out[at] = summed / magnitude
    return out, counter.flops


def convolution_statistics(inputs, num_groups, eps):
    """25k: means and variances of the convolution from sums of x and of its products with itself, shifted."""
    x, weight, bias = inputs["x"], inputs["weight"], inputs["conv_bias"]
    taps = list(np.ndindex(weight.shape[1:]))  # channel and shift
    extents = [size - kernel + 1 for size, kernel in zip(x.shape[2:], weight.shape[2:], strict=True)]
    kernels = weight.reshape(len(weight), -1)
    first = np.stack([_mean(x[:, channel], shift, extents) for channel, *shift in taps], axis=-1) @ kernels.T
    second, flops = _second_moments(x, taps, extents)
    square = np.einsum("ok,nkl,ol->no", kernels, second, kernels) + 2 * bias * first + bias**2
    mean, square = (moment.reshape(len(x), num_groups, -1) for moment in (first + bias, square))
    group_mean = mean.mean(axis=-1, keepdims=True)
    variance = square.mean(axis=-1, keepdims=True) - group_mean**2
    normalized = ((mean - group_mean) / np.sqrt(variance + eps)).reshape(len(x), -1)
    return (normalized * inputs["gamma"] + inputs["beta"]).mean(axis=-1), flops


def _second_moments(x, taps, extents):
    """Returns the mean product of x at every two taps, and the FLOPs: a multiply-add per product of two elements.

    Pairs of taps with the same distance sum the same products over boxes that overlap; each product counts once.
    """
    moments, flops, products = np.empty((len(x), len(taps), len(taps))), 0, {}
    pairs = itertools.combinations_with_replacement(enumerate(taps), 2)
    for (a, (channel, *shift)), (b, (other, *other_shift)) in pairs:
        distance = tuple(np.subtract(other_shift, shift))
        forward = channel, other, distance
        backward = other, channel, tuple(np.negative(distance))
        name, start = (backward, other_shift) if backward in products else (forward, shift)
        if name not in products:
            products[name] = _shifted_product(x, *name)
            flops += 2 * np.count_nonzero(~np.isnan(products[name]))
        moments[:, a, b] = moments[:, b, a] = _mean(products[name], start, extents)
    return moments, flops


def _shifted_product(x, channel, other, distance):
    """Returns x[:, channel] at each place times x[:, other] at a distance from it; NaN where that is outside."""
    product = np.full(x[:, channel].shape, np.nan)
    sizes = list(zip(distance, x.shape[2:], strict=True))
    here = (..., *(slice(max(0, -step), size - max(0, step)) for step, size in sizes))
    there = (..., *(slice(max(0, step), size - max(0, -step)) for step, size in sizes))
    product[here] = x[:, channel][here] * x[:, other][there]
    return product


def _mean(values, start, extents):
    """Returns the mean per sample over the box of `extents` that begins at `start`."""
    box = (..., *(slice(at, at + size) for at, size in zip(start, extents, strict=True)))
    return values[box].mean(axis=(1, 2, 3))
