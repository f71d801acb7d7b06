import re
from dataclasses import MISSING, fields, replace

import pytest

from jaxbench_harness.digests import FOR_PEOPLE as WORDS
from jaxbench_harness.digests import PARTS, part_digests, workload_digest, workload_ref
from jaxbench_harness.input_distributions import Constant, Normal, OutlierElements, SpreadRows, Uniform
from jaxbench_harness.published import PublishedTime, PublishedTimes
from jaxbench_harness.tolerance import Tolerance
from jaxbench_harness.workload import InputSpec, OutputSpec, StaticSpec, Workload, sizes

DISTRIBUTIONS = [Normal(), Uniform(), Constant(), SpreadRows(), OutlierElements()]


def test_digest_is_64_hexadecimal_digits_and_goes_into_the_reference(workload):
    digest = workload_digest(workload)
    assert re.fullmatch("[0-9a-f]{64}", digest)
    ref = workload_ref(workload)
    assert (ref.id, ref.version, ref.digest, ref.release) == ("scaled_product", 2, digest, None)
    assert workload_ref(workload, "2026.1").release == "2026.1"


def other_reference(x, y, scale, *, K):
    return (x @ y) / K * scale


OTHERS = {
    "id": "other",
    "version": 3,
    "sizes": sizes(full={"M": 256, "K": 128, "N": 385}, check={"M": 16, "K": 128, "N": 128}),
    "inputs": (InputSpec("x", ("M", "K")), InputSpec("y", ("K", "N")), StaticSpec("scale", "1/sqrt(K)")),
    "output": OutputSpec(("N", "M"), "float32"),
    "distributions": {"standard": {"x": Normal(), "y": Normal()}},
    "reference": other_reference,
    "tolerance": Tolerance(rtol=0.03),
    "flops": "2*M*K*N + 2*M*N",
    "useful_flops": "2*M*K*N",
    "useful_bytes": "min_bytes - 2*M",
}
FOR_PEOPLE = {
    "title": "other",
    "tier": "production",
    "family": "other",
    "model": "other",
    "semantics": "other",
    "shortcut": "other",
    "published": PublishedTimes(
        target="v6e",
        version=2,
        xla=PublishedTime(time_ns=1e6, matches=True, note=""),
        expert=None,
        source="a paper",
    ),
}


def test_every_field_of_a_workload_is_covered_here():
    assert OTHERS.keys() | FOR_PEOPLE.keys() == {field.name for field in fields(Workload)}
    assert FOR_PEOPLE.keys() < WORDS


def test_every_field_with_meaning_is_in_one_part():
    names = [name for part in PARTS.values() for name in part]
    assert sorted([*names, "id", "version"]) == sorted(OTHERS)


@pytest.mark.parametrize(("part", "name"), [(part, name) for part, names in PARTS.items() for name in names])
def test_a_change_shows_in_its_part_alone(workload, part, name):
    before, after = part_digests(workload), part_digests(replace(workload, **{name: OTHERS[name]}))
    assert {one for one in PARTS if before[one] != after[one]} == {part}


@pytest.mark.parametrize("name", OTHERS)
def test_digest_changes_with_every_field_that_has_meaning(workload, name):
    assert workload_digest(replace(workload, **{name: OTHERS[name]})) != workload_digest(workload)


@pytest.mark.parametrize("name", FOR_PEOPLE)
def test_digest_stays_with_what_is_for_people(workload, name):
    assert workload_digest(replace(workload, **{name: FOR_PEOPLE[name]})) == workload_digest(workload)


def _other(value):
    if isinstance(value, str):
        return {"std": "row", "bfloat16": "int8"}.get(value, value + "+1")
    return value + 0.5 if isinstance(value, float) else value + 1


@pytest.mark.parametrize("field", fields(Tolerance), ids=lambda field: field.name)
def test_digest_changes_with_every_field_of_the_tolerance(workload, field):
    changed = replace(workload.tolerance, **{field.name: _other(field.default)})
    assert workload_digest(replace(workload, tolerance=changed)) != workload_digest(workload)


def _with_x(workload, distribution):
    return replace(workload, distributions={"standard": workload.distributions["standard"] | {"x": distribution}})


@pytest.mark.parametrize(
    ("distribution", "field"),
    [(one, field) for one in DISTRIBUTIONS for field in fields(one)],
    ids=lambda value: getattr(value, "name", type(value).__name__),
)
def test_digest_changes_with_every_field_of_a_distribution(workload, distribution, field):
    assert field.default is not MISSING
    changed = replace(distribution, **{field.name: _other(field.default)})
    assert workload_digest(_with_x(workload, changed)) != workload_digest(_with_x(workload, distribution))


def test_digest_changes_with_the_kind_of_a_distribution(workload):
    # Constant(0.5) and a class with the same fields would differ by name only.
    digests = {workload_digest(_with_x(workload, one)) for one in DISTRIBUTIONS}
    assert len(digests) == len(DISTRIBUTIONS)


def test_digest_changes_with_a_further_distribution_and_with_its_name(workload):
    standard = workload.distributions["standard"]
    variants = [{"standard": standard}, {"standard": standard, "a": standard}, {"standard": standard, "b": standard}]
    assert len({workload_digest(replace(workload, distributions=variant)) for variant in variants}) == 3


@pytest.mark.parametrize(
    "change",
    [
        {"shape": ("M", "K*1")},
        {"shape": ("K", "M")},
        {"shape": ("M", "K", 1)},
        {"dtype": "float32"},
    ],
    ids=str,
)
def test_digest_changes_with_an_input(workload, change):
    x, *others = workload.inputs
    assert workload_digest(replace(workload, inputs=(replace(x, **change), *others))) != workload_digest(workload)


def test_digest_changes_with_a_static_argument_but_not_with_the_words_about_inputs(workload):
    x, y, scale = workload.inputs
    worded = (replace(x, meaning="rows", role="weight"), y, replace(scale, meaning="a scale"))
    assert workload_digest(replace(workload, inputs=worded)) == workload_digest(workload)
    assert workload_digest(replace(workload, inputs=(x, y, replace(scale, value="1/K")))) != workload_digest(workload)


def test_digest_changes_with_a_further_size_but_not_with_the_order(workload):
    more = workload.sizes | sizes(small={"M": 1, "K": 1, "N": 1})
    assert workload_digest(replace(workload, sizes=more)) != workload_digest(workload)
    turned = dict(reversed(workload.sizes.items()))
    assert workload_digest(replace(workload, sizes=turned)) == workload_digest(workload)


def test_a_definition_without_canonical_form_is_refused(workload):
    with pytest.raises(TypeError, match="has no canonical form"):
        workload_digest(replace(workload, reference=_Callable()))
    with pytest.raises(ValueError, match="JSON"):
        workload_digest(_with_x(workload, OutlierElements(factor=float("nan"))))


class _Callable:
    def __call__(self, x, y, scale, *, K):
        return x @ y * scale / K
