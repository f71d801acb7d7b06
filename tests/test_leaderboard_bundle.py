"""What comes with the leaderboard is what the packages say."""

import importlib.util

from command_line import ROOT

SCRIPT = ROOT / "apps" / "leaderboard" / "bundle.py"


def bundle():
    spec = importlib.util.spec_from_file_location("bundle", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_bundled_catalogue_is_current():
    from jaxbench_leaderboard.workload_cards import catalogue

    stale = "write it anew: uv run apps/leaderboard/bundle.py"
    assert catalogue() == bundle().current_catalogue(), stale


def test_records_and_their_sources_are_bundled(tmp_path, monkeypatch):
    from synthetic_records import record

    made = bundle()
    monkeypatch.setattr(made, "DEMO", tmp_path / "demo")
    kept, results = record("kept"), tmp_path / "results"
    (results / "sources" / kept.candidate.digest).mkdir(parents=True)
    (results / "sources" / kept.candidate.digest / "candidate.py").write_text("kept")
    (results / "sources" / ("0" * 64)).mkdir()
    (results / "run.jsonl").write_text(kept.model_dump_json() + "\n")
    assert made.write_demo(results) == 1
    assert (tmp_path / "demo" / "records.jsonl").read_text() == kept.model_dump_json() + "\n"
    assert [path.name for path in (tmp_path / "demo" / "sources").iterdir()] == [kept.candidate.digest]


def test_a_place_that_does_not_exist_is_a_usage_error(jaxbench):
    done = jaxbench("leaderboard", "nowhere")
    assert done.code == 2
    assert done.err == "error: nowhere: no such file or folder; name results, or nothing for the bundled data\n"
