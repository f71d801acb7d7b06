"""The catalogue says what the code says; `jaxbench list` has what the specification has."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from jaxbench_harness.cli.app import app as jaxbench
from jaxbench_harness.cli.workload_documents import ShowDocument
from jaxbench_workloads import WORKLOADS
from jaxbench_workloads.catalogue.pages import index_page, workload_page
from jaxbench_workloads.cli.write_catalogue import write_catalogue

FOLDER = Path(__file__).parents[3] / "docs" / "catalogue"
FACTS = json.loads(Path(__file__).with_name("spec_facts.json").read_text())
REMEDY = "write it anew: uv run jaxbench catalogue docs"


@pytest.fixture(scope="module")
def documents():
    return [ShowDocument.of(workload) for workload in WORKLOADS]


def test_committed_index_is_current(documents):
    assert (FOLDER / "index.md").read_text(encoding="utf-8") == index_page(documents), REMEDY


# One with static arguments, one that is labelled, one that is repaired.
@pytest.mark.parametrize("name", ["11p_Megablox_GMM", "25k_Conv3d_GroupNorm_Mean", "21k_Gemm_Divide_Sum_Scaling"])
def test_committed_page_is_current(documents, name):
    (document,) = (document for document in documents if document.id == name)
    assert (FOLDER / f"{name}.md").read_text(encoding="utf-8") == workload_page(document), REMEDY


def test_every_workload_has_a_page_and_the_figure_lies_where_the_index_says():
    assert {path.stem for path in FOLDER.iterdir()} == {"index", *FACTS}
    assert "](../images/roofline.svg)" in (FOLDER / "index.md").read_text(encoding="utf-8")
    assert (FOLDER.parent / "images" / "roofline.svg").is_file()


def test_figure_has_the_times_that_compare_below_the_roof(documents):
    roofline = pytest.importorskip("jaxbench_workloads.catalogue.roofline")
    shown = list(roofline.points(documents, roofline.TARGETS["v6e"]))
    # 50 of XLA without 5 that do not match and 4 of version 2, and 5 of 8 kernels.
    assert len(shown) == 41 + 5
    for point in shown:
        assert 0 < point["reached"] < point["attainable"] <= 918.001
        assert roofline._INTENSITY[0] < point["intensity"] < roofline._INTENSITY[1]
        assert roofline._TERAFLOPS[0] < point["reached"]
    assert {family for families in roofline.GROUPS.values() for family in families} == {one.family for one in documents}


def test_catalogue_without_the_figure_is_written_where_told(tmp_path):
    write_catalogue(tmp_path / "docs", figure=False)
    assert len(list((tmp_path / "docs" / "catalogue").iterdir())) == 51
    assert not (tmp_path / "docs" / "images").exists()


def listed(*arguments):
    done = CliRunner().invoke(jaxbench, ["list", *arguments, "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)["workloads"]


def test_list_has_exactly_the_ids_shapes_and_dtypes_of_the_specification():
    found = {one["id"]: one for one in listed() if one["tier"] != "user"}
    assert list(found) == list(FACTS)
    for workload_id, facts in FACTS.items():
        arrays = [one for one in found[workload_id]["inputs"] if one["shape"] is not None]
        assert [{key: one[key] for key in ("name", "shape", "dtype")} for one in arrays] == facts["inputs"]
        assert {key: found[workload_id]["output"][key] for key in ("shape", "dtype")} == facts["output"]


def test_list_filters_and_sorts_its_json():
    found = listed("--tier", "production", "--bound", "hbm", "--sort", "intensity", "--reverse")
    assert [one["id"][:3] for one in found] == ["7p_", "5p_", "11p", "16p", "6p_", "12p"]
    intensities = [one["intensity"] for one in found]
    assert intensities == sorted(intensities, reverse=True)


def test_show_prints_the_source_and_no_more_when_asked():
    done = CliRunner().invoke(jaxbench, ["show", "8p_GEMM", "--source"])
    assert done.exit_code == 0
    assert done.stdout.startswith("def gemm(")
    compile(done.stdout, "8p_GEMM", "exec")
