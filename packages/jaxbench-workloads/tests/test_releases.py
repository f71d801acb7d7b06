"""The manifests say what the code says."""

from importlib.metadata import entry_points
from pathlib import Path

import pytest

from jaxbench_harness.cli.print_schema import schema_text
from jaxbench_harness.releases import differences, snapshot
from jaxbench_workloads import WORKLOADS
from jaxbench_workloads.compat import COMPAT_WORKLOADS
from jaxbench_workloads.releases import RELEASES
from jaxbench_workloads.releases.documents import DOCUMENTS

SCHEMAS = Path(__file__).parents[1] / "schemas"
BY_NAME = {release.name: release for release in RELEASES}


def test_releases_are_registered():
    (point,) = entry_points(group="jaxbench.releases", name="jaxbench")
    assert point.load() is RELEASES
    assert list(BY_NAME) == ["2026.12", "compat-2026.12"]


@pytest.mark.parametrize("name", BY_NAME)
def test_the_manifest_is_current(name):
    release = BY_NAME[name]
    found = differences(release.manifest, snapshot(release))
    remedy = (
        f"jaxbench release freeze {name} --replace"
        if release.manifest.status == "draft"
        else "a frozen release keeps its workloads: give the new ones a new release"
    )
    assert not found, "\n".join([*map(str, found), remedy])


def test_the_benchmark_and_its_comparable_twin_have_the_same_ids():
    assert BY_NAME["2026.12"].workloads == WORKLOADS
    assert BY_NAME["compat-2026.12"].workloads == COMPAT_WORKLOADS
    ids = [[workload.id for workload in release.manifest.workloads] for release in RELEASES]
    assert ids[0] == ids[1]
    assert len(ids[0]) == 50


def test_only_the_benchmark_is_failure_proof():
    assert {name: release.failure_proof for name, release in BY_NAME.items()} == {
        "2026.12": True,
        "compat-2026.12": False,
    }
    assert "not failure-proof" in BY_NAME["compat-2026.12"].label


def test_no_workload_is_the_same_in_both():
    frozen = [{workload.digest for workload in release.manifest.workloads} for release in RELEASES]
    assert len(frozen[0] | frozen[1]) == 100


def test_the_two_differ_in_inputs_everywhere_and_in_code_where_repaired():
    found = differences(BY_NAME["compat-2026.12"].manifest, BY_NAME["2026.12"].manifest)
    assert {one.where for one in found if one.what == "distributions"} == {workload.id for workload in WORKLOADS}
    repaired = {workload.id for workload in WORKLOADS if workload.version > 1}
    assert {one.where for one in found if one.what == "version"} == repaired
    assert {one.where for one in found if one.what == "code"} == repaired
    assert not [one for one in found if one.where == "protocol"]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_committed_schema_is_current(name):
    path = SCHEMAS / f"{name}.schema.json"
    stale = f"write it anew: uv run jaxbench schema {name} > packages/jaxbench-workloads/schemas/{path.name}"
    assert path.read_text(encoding="utf-8") == schema_text(name), stale


def test_every_document_has_a_committed_schema():
    assert {path.name for path in SCHEMAS.iterdir()} == {f"{name}.schema.json" for name in DOCUMENTS}
