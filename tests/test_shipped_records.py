"""The records that come with the baselines, and the script that writes them."""

import zipfile
from collections import Counter

import polars as pl
import pytest
from command_line import ROOT
from project_scripts import load_script
from synthetic_records import record

from jaxbench_analysis import load_results, ranking
from jaxbench_analysis.selecting import Selection
from jaxbench_baselines.configs import find_config, read_config
from jaxbench_baselines.records import FOLDER
from jaxbench_baselines.registered import EXPERTS
from jaxbench_baselines.tuning.searching import best
from jaxbench_baselines.tuning.spaces import space_of
from jaxbench_baselines.tuning.trials import compiled, read_trials
from jaxbench_harness.candidate import xla_baseline
from jaxbench_harness.digests import workload_digest
from jaxbench_harness.records import Predicted
from jaxbench_harness.registry import all_workloads, find_workload
from jaxbench_harness.store import read_records


@pytest.fixture
def shipping():
    return load_script("packages/jaxbench-baselines/ship_records.py")


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


def test_they_are_of_the_code_at_hand():
    """If this fails after a change of an expert: evaluate it anew, and run `ship_records.py`."""
    workloads = {name: workload_digest(one) for name, one in all_workloads().items()}
    references = {(name, "xla", xla_baseline(one).digest) for name, one in all_workloads().items()}
    for target in ("v6e", "v5e", "v7x"):
        experts = {(one.workload_id, one.name, one.candidate(target).digest) for one in EXPERTS}
        records = list(read_records(FOLDER / f"{target}.jsonl"))
        assert [one.workload.id for one in records if one.workload.digest != workloads[one.workload.id]] == []
        found = {(one.workload.id, one.candidate.name, one.candidate.digest) for one in records}
        assert found - experts - references == set(), target


def test_their_sources_come_along():
    records = [one for path in FOLDER.glob("*.jsonl") for one in read_records(path)]
    wanted = {one.candidate.digest for one in records if one.candidate.role == "expert"}  # the others are references
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


def test_the_page_about_them_has_their_numbers(capsys):
    """If this fails after new records: put what `uv run benchmarks/baselines.py` prints into docs/baselines.md."""
    load_script("benchmarks/baselines.py").main([])
    page = (ROOT / "docs" / "baselines.md").read_text()
    printed = [line for line in capsys.readouterr().out.splitlines() if line]
    assert len(printed) > 100
    assert [line for line in printed if line not in page] == []


def test_what_the_tuner_chose_has_its_trials():
    """At least 20 Programs, or all that there are."""
    for expert in EXPERTS:
        path = find_config(expert.workload_id, expert.name, "v6e")
        evidence = read_config(path).evidence
        if evidence.by == "hand":
            continue
        trials = read_trials(path.with_suffix(".trials.jsonl"))
        fastest = best(trials)
        assert fastest is not None
        assert dict(fastest.settings) == dict(read_config(path).settings), path.name
        assert fastest.evaluation_id is not None, "what is chosen was checked"
        assert evidence.trials == compiled(trials)
        space = space_of(expert, find_workload(expert.workload_id))
        left = [one for one in space if one not in [trial.settings for trial in trials] and space.fault(one) is None]
        assert compiled(trials) >= 20 or not left, path.name
