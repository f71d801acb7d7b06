import math
import re
from dataclasses import replace

import pytest

from jaxbench_harness.bounds import bound_for
from jaxbench_harness.formulas import FormulaError
from jaxbench_harness.input_distributions import Normal
from jaxbench_harness.targets import get_target
from jaxbench_harness.workload import ArraySpec, InputSpec, OutputSpec, Size, StaticSpec, sizes

BOTH = {"x": Normal(), "y": Normal()}
SMALL = {"M": 16, "K": 128, "N": 128}


def takes_other_names(a, b, scale, *, K):
    return a @ b * scale / K


def takes_too_few(x, y):
    return x @ y


def takes_any(*x):
    return x


def needs_a_constant(x, y, scale, *, epsilon):
    return x @ y * scale + epsilon


def test_arguments_at_each_size(workload):
    assert workload.arguments(workload.size("full")) == (
        ArraySpec((256, 128), "bfloat16"),
        ArraySpec((128, 384), "float32"),
        1 / math.sqrt(128),
    )
    assert workload.arguments(workload.size("check"))[0] == ArraySpec((16, 128), "bfloat16")
    assert [spec.name for spec in workload.array_inputs] == ["x", "y"]


def test_flops_and_bytes_by_hand(workload):
    full, check = workload.size("full"), workload.size("check")
    assert workload.flop_count(full) == 2 * 256 * 128 * 384 + 256 * 384
    assert workload.min_bytes(full) == 256 * 128 * 2 + 128 * 384 * 4 + 256 * 384 * 4
    assert workload.flop_count(check) == 2 * 16 * 128 * 128 + 16 * 128
    assert workload.min_bytes(check) == 16 * 128 * 2 + 128 * 128 * 4 + 16 * 128 * 4


def test_useful_counts_are_the_nominal_ones_unless_stated(workload):
    full, check = workload.size("full"), workload.size("check")
    assert workload.useful_flop_count(full) == workload.flop_count(full)
    assert workload.useful_byte_count(check) == workload.min_bytes(check)
    stated = replace(workload, useful_flops="M*K*N", useful_bytes="min_bytes - 2*M*K")
    assert stated.useful_flop_count(full) == 256 * 128 * 384
    assert stated.useful_byte_count(full) == 128 * 384 * 4 + 256 * 384 * 4
    assert (stated.flop_count(full), stated.min_bytes(full)) == (workload.flop_count(full), workload.min_bytes(full))


def test_bounds_are_made_of_the_useful_counts(workload):
    target = get_target("v6e")
    bound = bound_for(replace(workload, useful_flops="M*K*N", useful_bytes="min_bytes - 2*M*K"), target)
    assert (bound.flops, bound.hbm_bytes) == (256 * 128 * 384, 128 * 384 * 4 + 256 * 384 * 4)
    assert bound.compute_ns == pytest.approx(256 * 128 * 384 / target.peak_bf16_flops_per_s * 1e9)
    assert bound.hbm_ns == pytest.approx((128 * 384 * 4 + 256 * 384 * 4) / target.hbm_bytes_per_s * 1e9)
    assert bound.nominal_flops == 2 * 256 * 128 * 384 + 256 * 384
    assert bound.nominal_bytes == 256 * 128 * 2 + 128 * 384 * 4 + 256 * 384 * 4


@pytest.mark.parametrize(
    ("dtype", "nbytes"), [("bfloat16", 30), ("float32", 60), ("int32", 60), ("int8", 15), ("bool", 15)]
)
def test_bytes_per_dtype(dtype, nbytes):
    spec = ArraySpec((3, 5), dtype)
    assert spec.nbytes == nbytes
    assert str(spec) == f"{dtype}[3,5]"
    assert ArraySpec((), dtype).nbytes == nbytes / 15


def test_reference_gets_its_constants_from_the_size(workload):
    assert workload.bound_reference(workload.size("full")).keywords == {"K": 128}
    elsewhere = Size("elsewhere", {"M": 1, "K": 2, "N": 3})
    assert workload.bound_reference(elsewhere).keywords == {"K": 2}


def test_an_unknown_size_is_refused_with_the_sizes_there_are(workload):
    with pytest.raises(KeyError, match="scaled_product has no size 'huge'; it has full, check"):
        workload.size("huge")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": ""}, "workload id '': use letters"),
        ({"id": "a/b"}, "workload id 'a/b': use letters"),
        ({"id": "../x"}, "use letters"),
        ({"id": "a\n"}, "use letters"),
        ({"id": "x" * 101}, "use letters"),
        ({"version": 0}, "version is 0, it starts at 1"),
        ({"sizes": sizes(full=SMALL)}, "has sizes ['full'], needs 'full' and 'check'"),
        ({"sizes": sizes(check=SMALL)}, "has sizes ['check'], needs 'full' and 'check'"),
        ({"distributions": {"zeros": BOTH}}, "has distributions ['zeros'], needs 'standard'"),
        ({"distributions": {"standard": {"x": Normal()}}}, "'standard' is for ['x'], array inputs are ['x', 'y']"),
        ({"distributions": {"standard": BOTH, "odd": BOTH | {"scale": Normal()}}}, "distribution 'odd' is for"),
        ({"reference": takes_other_names}, "takes ['a', 'b', 'scale'], the inputs are ['x', 'y', 'scale']"),
        ({"reference": takes_too_few}, "the reference takes ['x', 'y'], the inputs are ['x', 'y', 'scale']"),
        ({"reference": takes_any}, "the reference takes ['x'], the inputs are"),
        ({"reference": needs_a_constant}, "the reference needs ['epsilon'], size 'full' has ['K', 'M', 'N']"),
        ({"sizes": sizes(full=SMALL, check={"M": 1, "K": 2})}, "cannot evaluate 'N'"),
        ({"useful_flops": "3*M*K*N"}, "37748736 useful FLOPs at size 'full', nominal are 25264128"),
        ({"useful_bytes": "min_bytes + 1"}, "655361 useful bytes at size 'full', nominal are 655360"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_a_definition_that_cannot_be_evaluated_is_refused(workload, change, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        replace(workload, **change)


@pytest.mark.parametrize(
    "change",
    [
        {"output": OutputSpec(("M", "Q"))},
        {"output": OutputSpec(("M", "N/3"))},
        {"flops": "2*Q"},
        {"flops": "K/3"},
        {"flops": -1},
        {"useful_flops": "2*Q"},
        {"useful_flops": "K/3"},
        {"useful_bytes": "bytes_of_Q"},
        {"useful_bytes": -1},
        {"inputs": (InputSpec("x", ("Q",)), InputSpec("y", ("K",)), StaticSpec("scale", 1))},
        {"inputs": (InputSpec("x", ("M",)), InputSpec("y", ("K",)), StaticSpec("scale", "1/Q"))},
    ],
    ids=str,
)
def test_formulas_are_evaluated_at_definition(workload, change):
    with pytest.raises(FormulaError, match=r"Q|whole number"):
        replace(workload, **change)


def test_an_input_may_not_appear_twice(workload):
    twice = (*workload.inputs[:2], workload.inputs[1], *workload.inputs[2:])
    with pytest.raises(ValueError, match="the reference takes"):
        replace(workload, inputs=twice)


def test_sizes_copies_the_dims():
    dims = {"M": 1}
    made = sizes(full=dims)
    dims["M"] = 2
    assert made == {"full": Size("full", {"M": 1})}
