"""Baselines as installed packages register them."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from jaxbench_harness import registry
from jaxbench_harness.baseline import Baseline
from jaxbench_harness.candidate import Candidate, CandidateError
from jaxbench_harness.registry import (
    RegistryError,
    UnknownBaselineError,
    all_baselines,
    all_workloads,
    baseline_candidate,
    find_workload,
)

EXPERT = Candidate(name="expert", files={"a.py": b"", "config.json": b"{}"}, main="a.py", role="expert")
GEMM = Baseline(
    workload_id="8p_GEMM",
    name="expert",
    library="jax",
    library_version="1",
    kernel="matmul",
    timed="the kernel alone",
    build=lambda target: replace(EXPERT, files={**EXPERT.files, "target.py": target.encode()}),
)


@pytest.fixture
def register(monkeypatch):
    """Registers baselines instead of those of installed packages."""
    workloads = all_workloads()
    monkeypatch.setattr(registry, "all_workloads", lambda: workloads)

    def register(*baselines):
        point = SimpleNamespace(name="package", value="package:BASELINES", load=lambda: baselines)
        monkeypatch.setattr(registry, "entry_points", lambda group: [point] if group == "jaxbench.baselines" else [])
        all_baselines.cache_clear()

    yield register
    all_baselines.cache_clear()


def test_a_baseline_is_found_by_workload_and_name_and_built_for_the_target(register):
    register(GEMM)
    built = baseline_candidate(find_workload("8p_GEMM"), "expert", "v7x")
    assert (built.role, built.files["target.py"]) == ("expert", b"v7x")
    assert built.ref().role == "expert"


def test_every_workload_has_the_xla_baseline(register):
    register()
    assert baseline_candidate(find_workload("8p_GEMM"), "xla", "v6e").role == "xla"


def test_an_unknown_baseline_is_refused_with_those_that_there_are(register):
    register(GEMM)
    with pytest.raises(UnknownBaselineError, match="8p_GEMM has no baseline 'expert:fast'; it has xla, expert"):
        baseline_candidate(find_workload("8p_GEMM"), "expert:fast", "v6e")


def test_a_name_is_registered_once_per_workload(register):
    register(GEMM, replace(GEMM, workload_id="12p_RMSNorm"))
    assert {name: list(found) for name, found in all_baselines().items()} == {
        "8p_GEMM": ["expert"],
        "12p_RMSNorm": ["expert"],
    }
    register(GEMM, GEMM)
    with pytest.raises(RegistryError, match="registers 'expert' of 8p_GEMM, which is taken"):
        all_baselines()


@pytest.mark.parametrize("name", ["xla", "Expert", "expert:", "expert:a b", "fast"])
def test_a_name_says_that_it_is_an_expert(name):
    with pytest.raises(ValueError, match="use 'expert' or 'expert:NAME'"):
        replace(GEMM, name=name)


@pytest.mark.parametrize("built", [replace(EXPERT, name="other"), replace(EXPERT, role="candidate")])
def test_a_record_cannot_name_another_baseline_than_was_asked_for(built):
    with pytest.raises(ValueError, match="build it as 'expert' in the role of 'expert'"):
        replace(GEMM, build=lambda target: built).candidate("v6e")


def test_the_config_is_part_of_the_digest():
    other = replace(EXPERT, files={**EXPERT.files, "config.json": b'{"block": 128}'})
    assert other.digest != EXPERT.digest


def test_a_config_is_no_main_file():
    with pytest.raises(CandidateError, match=r"main file 'config\.json' is no \.py file"):
        replace(EXPERT, main="config.json")
