"""Workloads and releases as installed packages register them."""

from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import pytest

from jaxbench_harness import registry
from jaxbench_harness.candidate import Candidate
from jaxbench_harness.evaluate import evaluate
from jaxbench_harness.records import ResolvedConfig
from jaxbench_harness.registry import (
    RegistryError,
    UnknownReleaseError,
    UnknownWorkloadError,
    all_releases,
    all_workloads,
    find_release,
    find_workload,
    recorded_release,
    workloads_of,
)
from jaxbench_harness.releases import ReleaseError, load_release, snapshot

CONFIG = ResolvedConfig(target="v6e")


@dataclass(frozen=True)
class Point:
    name: str
    items: Any

    @property
    def value(self):
        return f"{self.name}:ITEMS"

    def load(self):
        return self.items


@pytest.fixture
def register(monkeypatch):
    """Registers workloads and releases instead of those of installed packages; each argument is one package."""

    def register(workloads=(), releases=()):
        groups = {"jaxbench.workloads": workloads, "jaxbench.releases": releases}
        monkeypatch.setattr(
            registry,
            "entry_points",
            lambda group: [Point(f"package{number}", items) for number, items in enumerate(groups[group])],
        )
        all_workloads.cache_clear()
        all_releases.cache_clear()

    yield register
    all_workloads.cache_clear()
    all_releases.cache_clear()


@pytest.fixture
def release(tmp_path):
    def release(name, *workloads, proof=True, status="frozen", on=date(2026, 1, 1)):
        one = load_release(
            name,
            label="a test",
            failure_proof=proof,
            workloads=workloads,
            packages=("jaxbench-harness",),
            folder=tmp_path,
        )
        frozen = snapshot(one, status).model_copy(update={"date": on})
        return replace(one, frozen=frozen)

    return release


@pytest.fixture
def compat(workload):
    """Another workload of the same id."""
    return replace(workload, version=1)


def test_a_workload_is_found_where_it_was_asked_for(register, release, workload, compat):
    register([[workload]], [[release("new", workload), release("compat", compat, proof=False)]])
    assert find_workload("scaled_product") is workload
    assert find_workload("scaled_product", "new") is workload
    assert find_workload("scaled_product", "compat") is compat
    assert workloads_of(None) == [workload]
    assert workloads_of("compat") == [compat]


def test_unknown_names_are_told_with_close_ones(register, release, workload):
    register([[workload]], [[release("2026.12", workload)]])
    with pytest.raises(UnknownReleaseError, match=r"unknown release '2026\.1'; did you mean 2026\.12\?"):
        find_release("2026.1")
    with pytest.raises(UnknownReleaseError, match=r"unknown release 'x'; there are 2026\.12"):
        find_workload("scaled_product", "x")
    with pytest.raises(UnknownWorkloadError, match=r"release 2026\.12 has no workload 'scaled'; did you mean scaled_"):
        find_workload("scaled", "2026.12")
    with pytest.raises(UnknownWorkloadError, match="unknown workload 'scaled'; did you mean scaled_product"):
        find_workload("scaled")


def test_a_workload_that_is_no_longer_what_was_frozen_is_refused(register, release, workload):
    frozen = release("2026.1", workload)
    changed = replace(workload, version=3)
    register([[changed]], [[replace(frozen, workloads=(changed,))]])
    for find in (lambda: find_workload("scaled_product", "2026.1"), lambda: workloads_of("2026.1")):
        with pytest.raises(ReleaseError, match=r"scaled_product is not what release 2026\.1 froze: version changed"):
            find()
    assert find_workload("scaled_product") is changed


def test_what_is_no_release_is_refused(register, release, workload):
    register(releases=[[workload]])
    with pytest.raises(RegistryError, match="entry point 'package0:ITEMS' holds a Workload, not a Release"):
        all_releases()
    register(releases=[3])
    with pytest.raises(RegistryError, match="is a int, not an iterable"):
        all_releases()
    one = release("a", workload)
    register(releases=[[one], [one]])
    with pytest.raises(RegistryError, match="'package1:ITEMS' registers 'a', which is taken"):
        all_releases()
    register([[workload], [workload]])
    with pytest.raises(RegistryError, match="'package1:ITEMS' registers 'scaled_product', which is taken"):
        all_workloads()


def test_a_record_names_the_newest_release_that_has_frozen_the_workload(register, release, workload, compat):
    old = release("b-old", workload, on=date(2026, 1, 1))
    new = release("a-new", workload, on=date(2026, 2, 1))
    other = release("other", replace(workload, version=9), on=date(2026, 3, 1))
    public = release("compat", workload, proof=False, on=date(2026, 4, 1))
    register([[workload]], [[old, new, other, public]])
    assert recorded_release(workload, CONFIG, None) == "a-new"
    assert recorded_release(workload, CONFIG, "b-old") == "b-old"
    assert recorded_release(workload, CONFIG, "compat") == "compat"
    assert recorded_release(compat, CONFIG, None) is None


def test_a_record_names_a_draft_as_such(register, release, workload):
    register([[workload]], [[release("2026.1", workload, status="draft")]])
    assert recorded_release(workload, CONFIG, None) == "2026.1-draft"
    assert recorded_release(workload, CONFIG, "2026.1") == "2026.1-draft"


def test_an_evaluation_by_another_protocol_is_of_no_release(register, release, workload):
    register([[workload]], [[release("2026.1", workload)]])
    more = CONFIG.model_copy(update={"draws_per_distribution": 2})
    assert recorded_release(workload, more, None) is None
    with pytest.raises(ReleaseError, match="draws_per_distribution is 2, not 1"):
        recorded_release(workload, more, "2026.1")


def test_a_changed_protocol_is_of_no_release(register, release, workload, monkeypatch):
    register([[workload]], [[release("2026.1", workload)]])
    monkeypatch.setattr("jaxbench_harness.check.systematic.STANDARD_ERRORS", 5.0)
    assert recorded_release(workload, CONFIG, None) is None


def test_only_the_workload_of_the_release_is_evaluated(register, release, workload, compat):
    register([[workload]], [[release("new", workload), release("compat", compat, proof=False)]])
    candidate = Candidate(name="x", files={"a.py": b""}, main="a.py")
    with pytest.raises(ValueError, match="not the registered workload of that id"):
        evaluate(candidate, compat, CONFIG)
    with pytest.raises(ValueError, match="not the workload of release compat of that id"):
        evaluate(candidate, workload, CONFIG, release="compat")
    with pytest.raises(ReleaseError, match="require_pallas is True"):
        evaluate(candidate, compat, CONFIG.model_copy(update={"require_pallas": True}), release="compat")
