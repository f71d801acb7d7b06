"""Version 1 of the workloads against what the public benchmark says, and its references against NumPy."""

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from workload_numpy_references import REFERENCES

from jaxbench_harness.check import compare_draw
from jaxbench_harness.formulas import evaluate
from jaxbench_harness.input_distributions import Constant, Normal
from jaxbench_workloads import WORKLOADS
from jaxbench_workloads.compat import COMPAT_WORKLOADS
from jaxbench_workloads.compat.input_distributions import Integers, PublicNormal, PublicUniform, public_batch

TESTS = Path(__file__).parent
# Copied from the benchmark's definition.
SPEC = json.loads((TESTS / "spec_facts.json").read_text())
PUBLIC = json.loads((TESTS / "public_facts.json").read_text())

BY_ID = {workload.id: workload for workload in COMPAT_WORKLOADS}
REPAIRED = [workload.id for workload in WORKLOADS if workload.version > 1]
ALL = pytest.mark.parametrize("workload_id", BY_ID)
DRAWN_AS_RECIPES = {"page_indices", "cu_q_lens", "kv_lens"}


def test_every_workload_is_there_in_version_1():
    assert list(BY_ID) == [workload.id for workload in WORKLOADS]
    assert {workload.version for workload in COMPAT_WORKLOADS} == {1}


@ALL
def test_shapes_are_those_of_the_specification(workload_id):
    workload, facts = BY_ID[workload_id], SPEC[workload_id]
    full, check = workload.size("full"), workload.size("check")
    assert [[spec.name, list(spec.at(full.dims).shape), spec.dtype] for spec in workload.array_inputs] == [
        [given["name"], given["shape"], given["dtype"]] for given in facts["inputs"]
    ]
    assert list(workload.output.at(full.dims).shape) == facts["output"]["shape"]
    assert (workload.flop_count(full), workload.min_bytes(full)) == (facts["flops"], facts["min_bytes"])
    assert {spec.name: list(spec.at(check.dims).shape) for spec in workload.array_inputs} == facts["check_inputs"]


@ALL
def test_inputs_are_drawn_as_the_specification_says(workload_id):
    workload, facts = BY_ID[workload_id], PUBLIC["inputs"][workload_id]
    full = workload.size("full")
    assert set(workload.distributions) == {"standard"}
    dtypes = {spec.name: spec.dtype for spec in workload.array_inputs}
    for name, distribution in workload.distributions["standard"].items():
        match facts[name]["dist"]:
            case "normal":
                expected = (facts[name]["mean"], pytest.approx(evaluate(facts[name]["std"], full.dims)))
                assert (distribution.mean, evaluate(distribution.std, full.dims)) == expected
                assert isinstance(distribution, PublicNormal if dtypes[name] == "bfloat16" else Normal)
            case "uniform":
                assert isinstance(distribution, PublicUniform)
                assert (facts[name]["low"], facts[name]["high"]) == (0, 1)
            case "constant":
                assert isinstance(distribution, Constant)
                assert evaluate(distribution.value, full.dims) == evaluate(facts[name]["value"], full.dims)
            case "randint":
                assert distribution == Integers(facts[name]["high"])
            case _:
                assert name in DRAWN_AS_RECIPES


def drawn(workload_id, name, size):
    workload = BY_ID[workload_id]
    (spec,) = (spec for spec in workload.array_inputs if spec.name == name)
    dims = workload.size(size).dims
    distribution = workload.distributions["standard"][name]
    return np.asarray(distribution.draw(jax.random.key(1), spec.at(dims).shape, dims, {}))


def test_the_ragged_batch_is_the_published_one():
    batch = PUBLIC["ragged_batch"]
    ends = np.cumsum(batch["q_lens"])
    kv_lens, starts = (drawn("7p_Ragged_Paged_Attention", name, "full") for name in ("kv_lens", "cu_q_lens"))
    np.testing.assert_array_equal(kv_lens, [*batch["kv_lens"], *[0] * 8])
    np.testing.assert_array_equal(starts, [0, *ends, *[4096] * 8])
    assert drawn("7p_Ragged_Paged_Attention", "num_seqs", "full").tolist() == [56]
    pages = drawn("7p_Ragged_Paged_Attention", "page_indices", "full")
    assert sorted(pages.ravel()) == list(range(64 * 256))
    assert pages[0].tolist() != list(range(256))


@pytest.mark.parametrize("size", ["check", "check_odd"])
def test_the_ragged_batch_fits_other_sizes(size):
    dims = BY_ID["7p_Ragged_Paged_Attention"].size(size).dims
    query_lens, kv_lens = public_batch(dims)
    assert sum(query_lens) == dims["max_num_batched_tokens"]
    assert all(
        queries <= keys <= dims["page_size"] * dims["pages_per_seq"]
        for queries, keys in zip(query_lens, kv_lens, strict=True)
    )
    assert dims["query_key_pairs"] == sum(np.multiply(query_lens, kv_lens))
    seen = [keys - after for queries, keys in zip(query_lens, kv_lens, strict=True) for after in range(queries)]
    assert (dims["useful_pairs"], dims["keys"]) == (sum(seen), sum(kv_lens))


def test_the_decode_batch_reads_its_pages_in_order():
    np.testing.assert_array_equal(drawn("6p_Paged_Attention", "page_indices", "full").ravel(), range(64 * 256))
    np.testing.assert_array_equal(drawn("6p_Paged_Attention", "cu_q_lens", "full"), range(65))
    np.testing.assert_array_equal(drawn("6p_Paged_Attention", "kv_lens", "full"), [4096] * 64)


def test_labels_and_groups():
    labels = drawn("13p_Cross_Entropy", "labels", "full")
    assert labels.dtype == np.int32
    assert 0 <= labels.min() < 1000
    assert 127000 < labels.max() < 128256
    np.testing.assert_array_equal(drawn("11p_Megablox_GMM", "group_sizes", "full"), [256] * 128)
    assert BY_ID["11p_Megablox_GMM"].size("full").dims["max_expert_size"] == 256


def test_normal_values_are_as_coarse_as_published():
    values = np.asarray(PublicNormal(0.02).draw(jax.random.key(0), (1 << 20,), {}, {})) / 0.02
    assert len(np.unique(values)) == 128
    assert values.min() == pytest.approx(-2.89, abs=0.01)
    assert values.max() == pytest.approx(2.52, abs=0.01)
    assert values.mean() == pytest.approx(-0.012, abs=0.004)
    shifted = np.asarray(PublicNormal(0.1, mean=1.0).draw(jax.random.key(0), (1 << 16,), {}, {}))
    assert (shifted == shifted.astype(jnp.bfloat16)).all()
    assert shifted.mean() == pytest.approx(1, abs=0.003)


def test_uniform_values_are_as_coarse_as_published():
    values = np.asarray(PublicUniform().draw(jax.random.key(0), (1 << 16,), {}, {}))
    np.testing.assert_array_equal(np.unique(values), np.arange(128) / 128)


def test_what_was_repaired_is_labelled_with_its_shortcut():
    assert list(PUBLIC["useful"]) == REPAIRED
    for workload_id, facts in PUBLIC["useful"].items():
        workload = BY_ID[workload_id]
        full = workload.size("full")
        assert workload.shortcut
        assert workload.useful_flop_count(full) == facts["flops_useful"]
        assert workload.useful_byte_count(full) == facts.get("min_bytes_useful", workload.min_bytes(full))


@pytest.mark.parametrize("size", ["check", "check_odd"])
@pytest.mark.parametrize("workload_id", REPAIRED)
def test_references_of_version_1_agree_with_numpy(workload_id, size, draw_case, centred_rms):
    case = draw_case(BY_ID[workload_id], size, "standard")
    expected = case.numpy_reference({workload_id: REFERENCES[f"{workload_id}@public"]})
    assert case.exact.shape == case.workload.output.at(case.size.dims).shape
    assert centred_rms(case.exact, expected) < 2e-5
    assert centred_rms(draw_case(BY_ID[workload_id], size, "standard", seed=1).exact, expected) > 0.1


def accepts_honest_answers(case):
    answers = {"exact": np.asarray(case.exact, np.float32).astype(case.native.dtype), "native": case.native}
    return {
        name: compare_draw(
            answer,
            case.exact,
            case.native,
            case.workload.tolerance,
            seed=0,
            size=case.size.name,
            distribution="standard",
        ).failure
        for name, answer in answers.items()
    } == {"exact": None, "native": None}


@pytest.mark.parametrize("workload_id", ["12p_RMSNorm", "32k_Gemm_Sigmoid_LogSumExp", *REPAIRED])
def test_honest_answers_are_accepted(workload_id, draw_case):
    assert accepts_honest_answers(draw_case(BY_ID[workload_id], "check", "standard"))


@pytest.mark.slow
@ALL
def test_every_reference_agrees_with_numpy_on_public_inputs(workload_id, draw_case):
    case = draw_case(BY_ID[workload_id], "check", "standard")
    reference = REFERENCES.get(f"{workload_id}@public", REFERENCES[workload_id])
    expected = case.numpy_reference({workload_id: reference})
    size = np.sqrt(np.square(expected).mean())
    spread = expected.std() if expected.std() > 1e-7 * size else size  # some outputs are constant, others nearly
    assert np.sqrt(np.square(np.asarray(case.exact, np.float64) - expected).mean()) <= 2e-5 * spread + 1e-6 * size
    assert accepts_honest_answers(case)
