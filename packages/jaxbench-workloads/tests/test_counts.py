"""FLOPs and bytes of every workload against counts that do not use its formulas.

Contractions are counted from the shapes in the reference's jaxpr; useful work from the inputs drawn, or by algorithms
that count what they do. `test_counts_xla` compares with what XLA counts.
"""

import itertools
from fractions import Fraction

import brute_force_counts as brute_force
import cheaper_algorithms
import jax
import numpy as np
import pytest
from jaxpr_contractions import contraction_flops, trace

from jaxbench_harness.bounds import bound_for
from jaxbench_harness.check.reference import draw_inputs, exact_reference
from jaxbench_harness.targets import TARGETS
from jaxbench_harness.workload import Size
from jaxbench_workloads import WORKLOADS, paged_attention
from jaxbench_workloads.paged_input_distributions import decode_sequences, mixed_sequences

BY_ID = {workload.id: workload for workload in WORKLOADS}


def sequences_met(inputs):
    """Returns how many sequences each block of rows of 7p has rows of."""
    sequences = [(start, end) for start, end in itertools.pairwise(np.asarray(inputs["cu_q_lens"])) if start < end]
    blocks = range(0, len(inputs["queries"]), paged_attention._BLOCK)
    return [sum(start < first + paged_attention._BLOCK and first < end for start, end in sequences) for first in blocks]


def all_pages_of_each_sequence(size, inputs):
    """7p: the reference multiplies a block of rows with all pages of each of its sequences, used or not."""
    capacity = size.dims["pages_per_seq"] * size.dims["page_size"]
    return size.dims["query_key_pairs"] / (sum(sequences_met(inputs)) * paged_attention._BLOCK * capacity)


def all_experts(size, _inputs):
    """10p: the reference sends every token through all experts and drops what was not chosen."""
    experts, per_expert = size.dims["num_experts"], 3 * size.dims["mlp_dim"]
    return (experts + size.dims["num_experts_per_tok"] * per_expert) / (experts + experts * per_expert)


def log_softmax(size, _inputs):
    """13p: published are three operations per logit beside its multiply-adds."""
    return 1 + 3 / (2 * size.dims["hidden_dim"])


def zeros_between(_size, _inputs):
    """28k: the reference spreads x out with zeros, by 2 along three axes."""
    return 1 / 2**3


NOT_AS_MULTIPLIED = {
    "7p_Ragged_Paged_Attention": all_pages_of_each_sequence,
    "10p_Sparse_MoE": all_experts,
    "13p_Cross_Entropy": log_softmax,
    "28k_ConvTranspose3d_LayerNorm_GELU_Scaling": zeros_between,
}
"""Nominal FLOPs over those of the reference's contractions; 1 for all others."""


def test_nominal_flops_are_those_of_the_contractions_of_the_reference(standard):
    workload, size, inputs = standard.workload, standard.size, standard.inputs
    met = sequences_met(inputs) if workload.id == "7p_Ragged_Paged_Attention" else None
    multiplied = contraction_flops(trace(workload, size), met and Fraction(sum(met), len(met)))
    if workload.id == "12p_RMSNorm":
        # No contraction: published are five operations per element.
        assert (multiplied, workload.flop_count(size)) == (0, 5 * inputs["x"].size)
        return
    ratio = NOT_AS_MULTIPLIED[workload.id](size, inputs) if workload.id in NOT_AS_MULTIPLIED else 1
    assert workload.flop_count(size) / multiplied == pytest.approx(ratio, rel=1e-12)


BY_ALGORITHM = {"16p_Mamba2_SSD", "25k_Conv3d_GroupNorm_Mean"}
"""Counted by `cheaper_algorithms`."""


def assert_counts_are_those_of(workload, size, inputs):
    every_byte = sum(array.nbytes for array in inputs.values()) + workload.output.at(size.dims).nbytes
    assert workload.min_bytes(size) == every_byte
    unread = brute_force.UNREAD_BYTES.get(workload.id, lambda *_: 0)(workload, size, inputs)
    assert workload.useful_byte_count(size) == every_byte - unread
    if workload.id in BY_ALGORITHM:
        return
    useful = brute_force.USEFUL_FLOPS.get(workload.id, lambda *_: contraction_flops(trace(workload, size)))
    # The random part of the triangle's mask is counted by its share.
    band = 0.03 if workload.id == "17p_Triangle_Multiplication" else 0
    assert workload.useful_flop_count(size) == pytest.approx(useful(workload, size, inputs), rel=band)


def test_useful_counts_are_what_the_inputs_leave(standard):
    assert_counts_are_those_of(standard.workload, standard.size, standard.inputs)


BY_VALUE = {
    "6p_Paged_Attention",
    "7p_Ragged_Paged_Attention",
    "10p_Sparse_MoE",
    "11p_Megablox_GMM",
    "17p_Triangle_Multiplication",
}
"""What they need depends on the values of their inputs."""


@pytest.mark.parametrize("workload_id", sorted(brute_force.USEFUL_FLOPS.keys() - BY_VALUE))
def test_useful_counts_are_what_the_shapes_leave_at_the_odd_size(workload_id):
    workload = BY_ID[workload_id]
    size = workload.size("check_odd")
    specs = {spec.name: spec.at(size.dims) for spec in workload.array_inputs}
    inputs = {name: np.broadcast_to(np.zeros((), spec.dtype), spec.shape) for name, spec in specs.items()}
    assert_counts_are_those_of(workload, size, inputs)


@pytest.mark.parametrize(
    ("workload_id", "sequences", "batch"),
    [
        ("6p_Paged_Attention", decode_sequences, "ragged"),
        ("7p_Ragged_Paged_Attention", mixed_sequences, "mixed"),
    ],
)
def test_every_paged_batch_has_the_useful_counts_at_every_size(workload_id, sequences, batch):
    workload = BY_ID[workload_id]
    for size in workload.sizes.values():
        lengths = zip(*map(np.asarray, sequences(batch, jax.random.key(5), size.dims)), strict=True)
        rows = [(queries, keys - queries + 1) for queries, keys in lengths]  # and how many keys the first of them sees
        pairs = sum(int(sum(range(first, first + queries))) for queries, first in rows)
        slots = sum(int(first + queries - 1) for queries, first in rows)
        features = workload.output.at(size.dims).shape[1] * size.dims["head_dim"]
        assert workload.useful_flop_count(size) == 4 * features * pairs
        keys_and_values = 2 * size.dims["num_kv_heads"] * size.dims["head_dim"] * slots
        assert workload.useful_byte_count(size) == 2 * (keys_and_values + 2 * features * sum(int(q) for q, _ in rows))


@pytest.mark.parametrize(("workload_id", "name"), brute_force.WITHOUT_INFLUENCE.items())
def test_an_input_that_is_not_read_has_no_influence(workload_id, name, draw_case, centred_rms):
    case = draw_case(BY_ID[workload_id], "check", "standard")
    changed = case.inputs | {name: 1 - case.inputs[name]}
    assert centred_rms(exact_reference(case.workload, case.size, changed), case.exact) < 1e-5


def as_float64(inputs):
    return {name: np.asarray(array, np.float64) for name, array in inputs.items()}


def test_state_space_model_needs_no_more_than_its_useful_flops(draw_case, centred_rms):
    case = draw_case(BY_ID["16p_Mamba2_SSD"], "check", "standard")
    out, flops = cheaper_algorithms.state_space(as_float64(case.inputs))
    assert centred_rms(out, case.numpy_reference()) < 1e-9
    # The bound leaves out the row sums, one feature of head_dim, and terms of lower order.
    assert 1 < flops / case.workload.useful_flop_count(case.size) < 1.03


def test_retention_needs_no_more_than_its_useful_flops(centred_rms):
    # At check size the quadratic form is the cheapest; this is where the recurrence is.
    workload = BY_ID["15p_RetNet_Retention"]
    size = Size("long", {"batch": 1, "num_heads": 2, "seq_len": 256, "head_dim": 32})
    inputs = draw_inputs(workload, size, "standard", 0)
    out, flops = cheaper_algorithms.retention(as_float64(inputs))
    assert centred_rms(out, exact_reference(workload, size, inputs)) < 2e-5
    assert 1 < flops / workload.useful_flop_count(size) < 1.01
    assert flops < brute_force.USEFUL_FLOPS[workload.id](workload, size, inputs)


def test_group_statistics_of_a_convolution_need_no_convolution(draw_case, centred_rms):
    case = draw_case(BY_ID["25k_Conv3d_GroupNorm_Mean"], "check", "standard")
    dims = {name: case.size.dims[name] for name in ("num_groups", "eps")}
    out, flops = cheaper_algorithms.convolution_statistics(as_float64(case.inputs), **dims)
    assert centred_rms(out, case.numpy_reference()) < 1e-9
    # The bound counts only the places where every shift is inside.
    assert case.workload.useful_flop_count(case.size) < flops < 0.5 * case.workload.flop_count(case.size)


def test_useful_work_is_positive_and_at_most_nominal_at_every_size(workload):
    for size in workload.sizes.values():
        assert 0 < workload.useful_flop_count(size) <= workload.flop_count(size)
        assert 0 < workload.useful_byte_count(size) <= workload.min_bytes(size)


def test_bounds_are_the_time_of_the_useful_work(workload):
    for size, target in itertools.product(workload.sizes.values(), TARGETS.values()):
        bound = bound_for(workload, target, size.name)
        assert bound.time_ns > 0
        assert bound.compute_ns * target.peak_bf16_flops_per_s == pytest.approx(1e9 * workload.useful_flop_count(size))
        assert bound.hbm_ns * target.hbm_bytes_per_s == pytest.approx(1e9 * workload.useful_byte_count(size))
        assert bound.nominal_flops == workload.flop_count(size)
        assert bound.nominal_bytes == workload.min_bytes(size)
