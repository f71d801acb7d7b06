"""The records that come with the baselines, and the script that writes them."""

import importlib.util
import zipfile
from collections import Counter

import polars as pl
import pytest
from command_line import ROOT
from synthetic_records import record

from jaxbench_analysis import load_results, ranking
from jaxbench_analysis.selecting import Selection
from jaxbench_baselines.records import FOLDER
from jaxbench_baselines.registered import EXPERTS
from jaxbench_harness.records import Predicted
from jaxbench_harness.registry import all_workloads
from jaxbench_harness.store import read_records

SCRIPT = ROOT / "packages" / "jaxbench-baselines" / "ship_records.py"


@pytest.fixture
def shipping():
    spec = importlib.util.spec_from_file_location("ship_records", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_they_are_of_baselines_predicted_and_without_the_name_of_a_machine():
    records = [one for path in FOLDER.glob("*.jsonl") for one in read_records(path)]
    assert {one.candidate.role for one in records} == {"xla", "expert"}
    assert {one.environment.host for one in records} == {"builder"}
    assert all(one.timing is None or isinstance(one.timing, Predicted) for one in records)
    assert max(Counter((one.config.target, one.workload.id, one.candidate.name) for one in records).values()) == 1


def test_every_workload_and_every_expert_has_one_for_the_v6e():
    records = list(read_records(FOLDER / "v6e.jsonl"))
    experts = {(one.workload_id, one.name) for one in EXPERTS if one.name == "expert"}
    found = {(one.workload.id, one.candidate.name) for one in records}
    assert found >= experts | {(name, "xla") for name, one in all_workloads().items() if one.tier != "example"}


def test_their_sources_come_along():
    wanted = {one.candidate.digest for path in FOLDER.glob("*.jsonl") for one in read_records(path)}
    with zipfile.ZipFile(FOLDER / "sources.zip") as archive:
        assert {name.partition("/")[0] for name in archive.namelist()} == wanted


def test_they_load_by_name():
    named, by_path = (load_results(place).frame.collect() for place in ("baselines", FOLDER))
    assert named.equals(by_path)
    ranked = ranking(Selection("predicted", "v6e", None, None, None, None).of(named.lazy()), baseline="xla")
    assert ranked.filter(pl.col("entrant") == "expert")["score"].item() > 1


def test_the_newest_is_shipped_and_what_is_not_made_anew_stays(shipping, tmp_path):
    old, new = record("old", entrant="xla"), record("new", entrant="xla")
    new = new.model_copy(update={"created_at": old.created_at.replace(year=old.created_at.year + 1)})
    shipped, results = tmp_path / "shipped", tmp_path / "results"
    for folder, one in ((shipped, old), (results, new)):
        folder.mkdir()
        (folder / "made.jsonl").write_text(one.model_dump_json() + "\n")
    assert [one.evaluation_id for one in shipping.newest((shipped, results)).values()] == [new.evaluation_id]
    assert [one.evaluation_id for one in shipping.newest((shipped,)).values()] == [old.evaluation_id]


def test_sources_are_taken_from_the_folder_and_from_the_archive_before(shipping, tmp_path):
    kept = tmp_path / "sources" / "a" / "x.py"
    kept.parent.mkdir(parents=True)
    kept.write_text("1")
    shipping.write(tmp_path, {}, {"b/y.py": b"2", "c/z.py": b"3"})
    assert shipping.sources((tmp_path,), ("a", "b")) == {"a/x.py": b"1", "b/y.py": b"2"}
